import { Refusal } from '../domain/errors.ts'
import { DO_NOT_RETRY } from './admit.ts'
import type { Ending } from './ending.ts'
import { errorBody } from './respond.ts'

/**
 * The answer to a repeat with the same Idempotency-Key if the first request was charged and its answer cannot be repeated:
 * running it again would charge it again.
 */
export function refuseRepeat(reason: 'too_long' | 'broken'): NonNullable<Ending['answer']> {
  const refusal = new Refusal(
    'idempotency_spent',
    `The first request with this Idempotency-Key was charged, and its answer ${reason === 'too_long' ? 'is too long to be kept' : 'was cut off'}. Use a new key to ask again. That is charged again.`,
    { param: 'Idempotency-Key' },
  )
  return {
    status: refusal.status,
    headers: { 'content-type': 'application/json', ...DO_NOT_RETRY },
    body: Buffer.from(errorBody(refusal)),
  }
}
