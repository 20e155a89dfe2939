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
