import type { Receipt } from '../domain/price.ts'
import type { Outcome } from '../domain/settlement.ts'
import type { Certainty, Usage } from '../domain/usage.ts'
import type { JsonValue } from '../wire/json.ts'

/** How a request ended, as far as its stage knows. */
export interface Ending {
  outcome: Outcome
  status: number
  usage: Usage
  certainty: Certainty
  /** What the usage costs, if that is known already. */
  receipt?: Receipt
  finishReason?: string | null
  errorCode?: string | null
  errorText?: string | null
  /** The answer as history keeps it. An error is part of the record itself. */
  toAnswerJson?: () => JsonValue
  /** The answer, for a repeat with the same Idempotency-Key. */
  answer?: { status: number; headers: Record<string, string>; body: Uint8Array } | null
}
