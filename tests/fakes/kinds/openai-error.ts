import type { Fault } from './row.ts'

/** OpenAI's own error object, which many vendors have copied. */
export const openAiError = (message: string, type: string, code: string | null, param: string | null = null): object => ({
  error: { message, type, param, code },
})

/** What an empty account is called at OpenAI, with the status of one that asks too often. */
export const NO_QUOTA: Fault = {
  status: 429,
  body: openAiError(
    'You exceeded your current quota, please check your plan and billing details.',
    'insufficient_quota',
    'insufficient_quota',
  ),
  is: 'unavailable',
}

/** An account that was closed, and one that has reached its owner's own limit: images are refused so. */
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
