import type { AttemptResult, Outcome } from './settlement.ts'

/** Whose mistake it was that a request failed. `house`: ours, such as a refusal because nothing could be called. */
export type Fault = 'vendor' | 'client' | 'house'

/**
 * Whose fault the end of a request was; null where it was none. Who leaves, or cancels, has not failed. `call` is how the last
 * attempt ended, where there was one.
 */
export function faultOf(outcome: Outcome, status: number, call: AttemptResult | null): Fault | null {
  switch (outcome) {
    case 'finished':
    case 'client_gone':
    case 'cancelled':
      return null
    case 'undelivered':
      return 'house'
    case 'refused':
      return status < 500 ? 'client' : 'house'
    case 'cut':
      // The process ended, or could not finish what a vendor had told.
      return call !== null && !isFailure(call) ? 'house' : 'vendor'
    case 'timed_out':
      return 'vendor'
    case 'vendor_failed':
      // A vendor that finds the request itself wrong.
      return status === 400 ? 'client' : 'vendor'
  }
}

/** Whether an attempt says that its deployment failed. A vendor at its limit is counted apart. */
export const isFailure = (result: AttemptResult): boolean =>
  result !== 'answered' && result !== 'refused' && result !== 'limited' && result !== 'left'

/** What is counted, in the order in which it is kept in memory. The first thirteen add up over grains; see the table. */
export const COUNTS = [
  'requests',
  'vendor_errors',
  'client_errors',
  'house_errors',
  'attempts',
  'attempt_failures',
  'attempt_limits',
  'retries',
  'input_tokens',
  'output_tokens',
  'charged_nano',
  'vendor_cost_nano',
  'shortfall_nano',
  'firsts',
  'answers',
  'first_ms',
  'took_ms',
] as const
export type Count = (typeof COUNTS)[number]

export type Grain = 'all' | 'model' | 'connection' | 'deployment'
export type Span = 'minute' | 'hour' | 'day'
