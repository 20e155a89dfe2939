import type { IncomingRequest } from './answer.ts'
import { type FormRules, type ParsedForm, readForm } from './read-form.ts'
import { BOUNDARY, MemorySpool, PNG, type RawPart } from './testing.ts'

export const MIB = 1024 * 1024
export const RULES: FormRules = {
  kind: 'form',
  files: {
    image: { maxCount: 16, maxBytes: 4 * MIB, types: ['image/png', 'image/jpeg'] },
    mask: { maxCount: 1, maxBytes: 100, types: ['image/png'] },
  },
}
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
/** A PNG of this many bytes, as far as its first bytes tell. */
export const png = (bytes: number): Buffer => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length, 'x')])

/** What is sent, and how. */
export interface TestForm {
  body: Buffer
  type?: string
  /** The offsets at which the bytes are split. */
  cuts?: readonly number[]
  headers?: Record<string, string>
  rules?: FormRules
  maxBytes?: number
  spool?: MemorySpool
}

/** A request whose body arrives in the pieces that a test wants. */
export function requestOf({ body, type = TYPE, cuts = [], headers = {} }: TestForm): IncomingRequest {
  const bounds = [0, ...cuts.toSorted((a, b) => a - b).filter((cut) => cut < body.length), body.length]
  const pieces = bounds.slice(1).map((end, n) => body.subarray(bounds[n], end))
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
  const all = new Headers({ 'content-type': type, ...headers })
  if (type === '') all.delete('content-type')
  return {
    method: 'POST',
    url: 'http://localhost/',
    headers: all,
    signal: new AbortController().signal,
    body: stream,
    bytes: async () => body,
  }
}

/** Reads a form as a request handler would. */
export const readTestForm = (sent: TestForm): Promise<ParsedForm> =>
  readForm(requestOf(sent), sent.rules ?? RULES, sent.spool ?? new MemorySpool(), 'acc_1', {
    maxBytes: sent.maxBytes ?? 50 * MIB,
  })

/** Valid parts. */
export const VALID_PARTS: readonly RawPart[] = [
  { name: 'model', body: 'a/b' },
  { name: 'image[]', filename: 'a.png', type: 'application/octet-stream', body: PNG },
  { name: 'tag', body: '' },
  { name: 'image[]', filename: 'b.jpg', type: 'image/jpeg', body: Buffer.from('ffd8ffe000', 'hex') },
  { name: 'tag', body: 'Größe\r\n--' },
]
