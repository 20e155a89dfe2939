import { CONDITION_TABLE, type Condition, VENDOR_CODES } from '../domain/errors.ts'
import type { Endpoint } from './endpoint.ts'
import { refusalHeadersOf } from './openapi-headers.ts'

/** What every endpoint can refuse with: the sender is always looked up, and somebody has to answer. */
const COMMON_CONDITIONS: readonly Condition[] = [
  'invalid_key',
  'too_many_requests',
  'internal',
  'maintenance',
  'overloaded',
  'unavailable',
]

/** What every sale can refuse with: it has a body, a model, a price and a vendor, and may be repeated. */
const BILLABLE_CONDITIONS: readonly Condition[] = [
  'invalid_request',
  'unknown_model',
  'upload_too_slow',
  'idempotency_mismatch',
  'context_exceeded',
  'idempotency_running',
  'idempotency_spent',
  'too_large',
  'wrong_content',
  'no_quota',
  'too_many_tokens',
  'vendor_failed',
]

/** The ways in which an endpoint can refuse. A wrong method or address belongs to no endpoint, and files are not under `/v1`. */
export const refusalsOf = (endpoint: Endpoint): readonly Condition[] => [
  ...COMMON_CONDITIONS,
  ...('body' in endpoint ? BILLABLE_CONDITIONS : []),
  ...(endpoint.docs.refusals ?? []),
]

/** The refusals as the document describes them: an answer for each status, with its possible codes. */
export function describeRefusals(endpoint: Endpoint): Record<string, object> {
  const rows = refusalsOf(endpoint).map((condition) => ({ condition, ...CONDITION_TABLE[condition] }))
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  return Object.fromEntries(
    [...new Set(rows.map(({ status }) => status))].map((status) => {
      const sameStatus = rows.filter((row) => row.status === status)
      const passedOn = 'body' in endpoint && sameStatus.some(({ condition }) => condition === 'invalid_request')
      const codes = [...new Set([...sameStatus.map(({ code }) => code), ...(passedOn ? VENDOR_CODES : [])])]
      const headers = refusalHeadersOf(sameStatus.map(({ condition }) => condition))
      return [status, { description: `Error with the code ${codes.join(' or ')}.`, 'x-codes': codes, headers, content }]
    }),
  )
}
