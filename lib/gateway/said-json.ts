import type { SaleEndpoint } from '../wire/endpoint.ts'
import type { JsonValue } from '../wire/json.ts'
import type { BodyFacts } from './prepare.ts'

/** A request as history keeps it: as JSON, or what writes that later. */
export type Asked = string | (() => string)

/**
 * What writes down later, as JSON, what was asked in a request and what was answered. It holds on to nothing else: what waits
 * for history must not keep whole requests in memory.
 */
export const saidLater =
  (asked: Asked, answer: (() => JsonValue) | null): (() => string) =>
  () =>
    saidJson(typeof asked === 'string' ? asked : asked(), answer === null ? null : answer())

/** What history keeps of one request. `asked` is JSON. */
export const saidJson = (asked: string, answer: JsonValue): string => `{"request":${asked},"answer":${JSON.stringify(answer)}}`

const OPEN_BRACE = 123
/** Longer bodies become texts when they are written down. */
const LONG_BYTES = 16 * 1024

/**
 * A request as history keeps it. Nearly all are kept as they came: one that names no data and escapes no letter has no
 * media that could be replaced.
 */
export function askedOf<Input, P>({ identity }: BodyFacts, input: Input, endpoint: SaleEndpoint<Input, P>): Asked {
  const kept = endpoint.body.kind === 'json' && identity[0] === OPEN_BRACE
  if (!kept || identity.includes('data') || identity.includes('\\u')) return redactedLater(input, endpoint)
  return identity.byteLength > LONG_BYTES ? textLater(identity) : identity.toString()
}

// Functions of their own: one that is made in another's body may hold on to all that its sisters need.
const textLater = (bytes: Buffer) => () => bytes.toString()
const redactedLater =
  <Input, P>(input: Input, endpoint: SaleEndpoint<Input, P>) =>
  () =>
    JSON.stringify(endpoint.redact(input))
