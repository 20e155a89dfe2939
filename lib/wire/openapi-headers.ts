import { CONDITION_TABLE, type Condition } from '../domain/errors.ts'
import type { Endpoint } from './endpoint.ts'

interface Header {
  description: string
  required?: true
  schema: object
}

const text = { type: 'string' }
const whole = { type: 'integer' }
const money = { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' }

/** The headers of answers that are this API's own, or that have a meaning of their own here. */
export const HEADERS = {
  'x-request-id': {
    required: true,
    description: 'The id of the request. Include it when you report a problem to the operator.',
    schema: text,
  },
  'x-ratelimit-limit-requests': { description: 'Requests that the key may send per minute.', schema: whole },
  'x-ratelimit-remaining-requests': { description: 'Requests that remain in this minute.', schema: whole },
  'x-ratelimit-reset-requests': { description: 'Time until the next minute begins, such as `59.2s` or `6ms`.', schema: text },
  'x-ratelimit-limit-tokens': { description: 'Tokens that the key may use per minute.', schema: whole },
  'x-ratelimit-remaining-tokens': { description: 'Tokens that remain in this minute.', schema: whole },
  'x-ratelimit-reset-tokens': { description: 'Time until the next minute begins, such as `59.2s` or `6ms`.', schema: text },
  'x-tollgate-cost': { description: 'The cost of a response that is not streamed, in units of the currency.', schema: money },
  'x-tollgate-balance': { description: 'The balance that remains after it, in units of the currency.', schema: money },
  'x-tollgate-ignored': {
    description: 'Fields of the request that were not sent to the vendor of the model, separated by commas.',
    schema: text,
  },
  'x-tollgate-replayed': {
    description: 'The response is that of an earlier request with the same Idempotency-Key. This is the id of that request.',
    schema: text,
  },
  'retry-after': {
    description: 'Seconds to wait before sending the same request again or polling an unfinished task.',
    schema: whole,
  },
  'x-should-retry': { description: '`false` if a retry cannot succeed, for clients that retry automatically.', schema: text },
} as const satisfies Record<string, Header>
type HeaderName = keyof typeof HEADERS

const COMMON_HEADERS: readonly HeaderName[] = [
  'x-request-id',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
]
const BILLABLE_HEADERS: readonly HeaderName[] = [
  'x-tollgate-cost',
  'x-tollgate-balance',
  'x-tollgate-ignored',
  'x-tollgate-replayed',
]

const headerRefs = (names: readonly HeaderName[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The headers of an endpoint's successful answers. */
export function answerHeadersOf(endpoint: Endpoint): object {
  switch (endpoint.kind) {
    case 'paid':
      return headerRefs([...COMMON_HEADERS, ...BILLABLE_HEADERS])
    case 'job':
      return headerRefs([...COMMON_HEADERS, 'x-tollgate-cost', 'x-tollgate-ignored', 'x-tollgate-replayed', 'retry-after'])
    case 'task':
      return headerRefs(endpoint.method === 'GET' ? [...COMMON_HEADERS, 'retry-after'] : COMMON_HEADERS)
    case 'read':
      return headerRefs(COMMON_HEADERS)
  }
}

/** A client that sends too many requests, or sends one while there is no room, is told when to retry. */
const RETRY_AFTER_STATUSES = new Set([409, 429, 503])
/** More headers of some refusals: whether a retry is useless, and which request was charged for an answer that is gone. */
const CONDITION_HEADERS: Partial<Record<Condition, readonly HeaderName[]>> = {
  no_quota: ['x-should-retry'],
  idempotency_spent: ['x-should-retry', 'x-tollgate-replayed', 'x-tollgate-cost'],
}

/** The headers of refusals with one status. */
export function refusalHeadersOf(conditions: readonly Condition[]): object {
  const retryHeaders: readonly HeaderName[] = conditions.some((one) => RETRY_AFTER_STATUSES.has(CONDITION_TABLE[one].status))
    ? ['retry-after']
    : []
  return headerRefs([
    ...new Set([...COMMON_HEADERS, ...retryHeaders, ...conditions.flatMap((one) => CONDITION_HEADERS[one] ?? [])]),
  ])
}
