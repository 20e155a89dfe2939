import { type Form, type FormPart, stripArraySuffix } from '../domain/form.ts'
import { redactMedia } from '../wire/chat/media.ts'
import type { BillableEndpoint } from '../wire/endpoint.ts'
import type { JsonObject, JsonValue } from '../wire/json.ts'
import { mediaNote } from '../wire/media-note.ts'

/** A request as history keeps it: JSON, or a function that writes it later. */
export type HistoryRequest = string | (() => string)

/**
 * Returns a function that later writes, as JSON, what was asked in a request and what was answered. It holds on to nothing
 * else: what waits for history must not keep whole requests in memory.
 */
export const deferHistoryJson =
  (request: HistoryRequest, answer: (() => JsonValue) | null): (() => string) =>
  () =>
    buildHistoryJson(typeof request === 'string' ? request : request(), answer === null ? null : answer())

/** What history keeps of one request. `request` is JSON. Some chat models answer with images and audio, which are not kept. */
export const buildHistoryJson = (request: string, answer: JsonValue): string =>
  `{"request":${request},"answer":${JSON.stringify(redactMedia(answer))}}`

const OPEN_BRACE = 123
/** A longer body is not searched here, because that would delay the answer. */
const MAX_SEARCHED_BYTES = 64 * 1024
/** What inline media begin with or are called, and the escape that could hide it. */
const MEDIA_HINT = /data|image_generation_call|\\u/i

/**
 * A request as history keeps it. Nearly all are kept as they came: one that mentions no data and escapes no letter has no
 * media to replace.
 */
export function historyRequestOf<Input, P>(body: Buffer, input: Input, endpoint: BillableEndpoint<Input, P>): HistoryRequest {
  if (endpoint.storesBodyVerbatim && body[0] === OPEN_BRACE && body.byteLength <= MAX_SEARCHED_BYTES) {
    const text = body.toString()
    if (!MEDIA_HINT.test(text)) return text
  }
  return deferRedaction(input, endpoint)
}

/** What history keeps of a JSON body whose fields were refused, with media replaced wherever they are. */
export const refusedBody =
  (body: JsonObject): HistoryRequest =>
  () =>
    JSON.stringify(redactMedia(body))

/** The same for a form: its texts, and notes of its files. */
export function refusedForm({ parts }: Form): HistoryRequest {
  const textOf = (part: FormPart): string => {
    if ('value' in part) return part.value
    const { filename, type, bytes, sha256 } = part.file
    return `${filename} ${mediaNote(type, bytes, sha256)}`
  }
  const fields = [...Map.groupBy(parts, ({ name }) => stripArraySuffix(name))].map(([name, found]): [string, JsonValue] => {
    const [first = '', ...others] = found.map(textOf)
    return [name, others.length === 0 ? first : [first, ...others]]
  })
  return JSON.stringify(redactMedia(Object.fromEntries(fields)))
}

/** A separate function, because a closure may hold on to everything in the scope that creates it. */
const deferRedaction =
  <Input, P>(input: Input, endpoint: BillableEndpoint<Input, P>) =>
  () =>
    JSON.stringify(endpoint.redact(input))
