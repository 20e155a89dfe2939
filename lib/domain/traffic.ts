import type { AttemptResult, Outcome } from './settlement.ts'

/** Who caused a request to fail. `house`: this gateway, for example if it refused because nothing could be called. */
export type Fault = 'vendor' | 'client' | 'house'

/**
 * Who caused a request's end, or null if it is not a failure. A client that disconnects or cancels has not failed. `call` is
 * how the last attempt ended, if there was one.
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
      // The process ended, or could not finish what a vendor had delivered.
      return call !== null && !isFailure(call) ? 'house' : 'vendor'
    case 'timed_out':
      return 'vendor'
    case 'vendor_failed':
      // The vendor found the request itself invalid.
      return status === 400 ? 'client' : 'vendor'
  }
}

/** Whether an attempt counts as a failure of its deployment. A vendor that is at its limit is counted separately. */
export const isFailure = (result: AttemptResult): boolean =>
  result !== 'answered' && result !== 'refused' && result !== 'limited' && result !== 'left'

/** What is counted, in its order in memory. The first thirteen add up over grains; see the table. */
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
