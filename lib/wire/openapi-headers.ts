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

/** What an answer can say of itself in headers that are this API's own, or mean something of their own here. */
export const HEADERS = {
  'x-request-id': {
    required: true,
    description: 'The id of the request. Tell it to the operator when something is wrong.',
    schema: text,
  },
  'x-ratelimit-limit-requests': { description: 'Requests that the key may send in a minute.', schema: whole },
  'x-ratelimit-remaining-requests': { description: 'Those that are left of this minute.', schema: whole },
  'x-ratelimit-reset-requests': { description: 'When the next minute begins, such as `59.2s` or `6ms`.', schema: text },
  'x-ratelimit-limit-tokens': { description: 'Tokens that the key may use in a minute.', schema: whole },
  'x-ratelimit-remaining-tokens': { description: 'Those that are left of this minute.', schema: whole },
  'x-ratelimit-reset-tokens': { description: 'When the next minute begins, such as `59.2s` or `6ms`.', schema: text },
  'x-tollgate-cost': { description: 'What a whole answer cost, in units of the currency.', schema: money },
  'x-tollgate-balance': { description: 'What is left of the balance after it, in units of the currency.', schema: money },
  'x-tollgate-ignored': {
    description: 'Fields of the request that the vendor of the model did not get, with commas between them.',
    schema: text,
  },
  'x-tollgate-replayed': {
    description: 'The answer is that of an earlier request with the same Idempotency-Key, which had this id.',
    schema: text,
  },
  'retry-after': {
    description: 'Seconds after which the same request may be sent again, or an unfinished task be asked for.',
    schema: whole,
  },
  'x-should-retry': { description: '`false` where a repeat is in vain, for clients that send one by themselves.', schema: text },
} as const satisfies Record<string, Header>
type HeaderName = keyof typeof HEADERS

const OF_ALL: readonly HeaderName[] = [
  'x-request-id',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
]
const OF_SALES: readonly HeaderName[] = ['x-tollgate-cost', 'x-tollgate-balance', 'x-tollgate-ignored', 'x-tollgate-replayed']

const pointers = (names: readonly HeaderName[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The headers of what an endpoint answers where nothing is wrong. */
export function headersOfAnswer(endpoint: Endpoint): object {
  switch (endpoint.kind) {
    case 'paid':
      return pointers([...OF_ALL, ...OF_SALES])
    case 'job':
      return pointers([...OF_ALL, 'x-tollgate-cost', 'x-tollgate-ignored', 'x-tollgate-replayed', 'retry-after'])
    case 'task':
      return pointers(endpoint.method === 'GET' ? [...OF_ALL, 'retry-after'] : OF_ALL)
    case 'read':
      return pointers(OF_ALL)
  }
}

/** Who comes too often, or while there is no room, is told when to come again. */
const WAITS = new Set([409, 429, 503])
/** What else some refusals say: who asks in vain is told so, and an answer that is gone names the request that was charged for it. */
const OF_SOME: Partial<Record<Condition, readonly HeaderName[]>> = {
  no_quota: ['x-should-retry'],
  idempotency_spent: ['x-should-retry', 'x-tollgate-replayed', 'x-tollgate-cost'],
}

/** The headers of refusals with one status. */
export function headersOfRefusals(conditions: readonly Condition[]): object {
  const waits: readonly HeaderName[] = conditions.some((one) => WAITS.has(CONDITION_TABLE[one].status)) ? ['retry-after'] : []
  return pointers([...new Set([...OF_ALL, ...waits, ...conditions.flatMap((one) => OF_SOME[one] ?? [])])])
}
