import type { Fault } from './row.ts'

/** OpenAI's own error object, which many vendors copied. */
export const openAiError = (message: string, type: string, code: string | null, param: string | null = null): object => ({
  error: { message, type, param, code },
})

/** How OpenAI reports an empty account: with the status of a rate limit. */
export const NO_QUOTA: Fault = {
  status: 429,
  body: openAiError(
    'You exceeded your current quota, please check your plan and billing details.',
    'insufficient_quota',
    'insufficient_quota',
  ),
  is: 'unavailable',
}

/** A closed account, and one that reached its owner's own limit. Image requests are refused like this. */
export const CLOSED: readonly Fault[] = [
  {
    status: 429,
    body: openAiError(
      'Your account is not active, please check your billing details on our website.',
      'billing_not_active',
      'billing_not_active',
    ),
    is: 'unavailable',
  },
  {
    status: 400,
    body: openAiError('Billing hard limit has been reached', 'invalid_request_error', 'billing_hard_limit_reached'),
    is: 'unavailable',
  },
]
