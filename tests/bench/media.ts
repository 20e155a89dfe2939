import { createHash } from 'node:crypto'
import { wavHead } from '#lib/host/audio/testing'

/** Request and answer bodies besides chats, each in the size that its requirement sets. */

export const IMAGE_BYTES = 1024 * 1024
export const UPLOAD_BYTES = 25 * 1024 * 1024
export const EMBED_TEXT = 'A gateway that is paid for in advance.'
export const EMBED_TOKENS = 8
export const TRANSCRIPT = 'A gateway that is paid for in advance.'
const DIMENSIONS = 1536
const WAV_RATE = 16_000

/** Bytes that look like noise and are the same in every process. */
function noise(count: number): Buffer {
  const bytes = Buffer.alloc(count)
  let state = 0x9e3779b9
  for (let at = 0; at < count; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

/** A file that a vendor calls a PNG. A gateway looks only at its beginning. */
export function image(): Buffer {
  return Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), noise(IMAGE_BYTES - 16)])
}

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The body of an answer with one image. */
export const imageAnswer = (): Buffer =>
  Buffer.from(JSON.stringify({ created: 1_760_000_000, data: [{ b64_json: image().toString('base64') }] }))

/** The body of an answer with one vector. */
export function embeddingAnswer(): Buffer {
  const embedding = Array.from({ length: DIMENSIONS }, (_, at) => Math.fround(Math.sin(at * 7.3) / 28))
  return Buffer.from(
    JSON.stringify({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding }],
      model: 'bench-upstream',
      usage: { prompt_tokens: EMBED_TOKENS, total_tokens: EMBED_TOKENS },
    }),
  )
}

/** A WAV of this many bytes: one channel, 16 bits. */
export function wav(bytes: number): Buffer {
  const data = noise(bytes - 44)
  return Buffer.concat([wavHead(data.length, WAV_RATE), data])
}

/** The whole seconds that are billed for a WAV of this many bytes. */
export const secondsOf = (bytes: number): number => Math.ceil((bytes - 44) / (WAV_RATE * 2))

const BOUNDARY = 'tollgate-bench-0123456789'

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** The form of an upload. */
export function form(model: string, file: Buffer): Buffer {
  const field = (name: string, value: string): string =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  return Buffer.concat([
    Buffer.from(
      `${field('model', model)}${field('response_format', 'json')}--${BOUNDARY}\r\n` +
        'content-disposition: form-data; name="file"; filename="call.wav"\r\ncontent-type: audio/wav\r\n\r\n',
    ),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
}
