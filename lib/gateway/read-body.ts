import { asBuffer } from '../domain/as-buffer.ts'
import { asRefusal, Refusal } from '../domain/errors.ts'
import { type IncomingRequest, piecesOf } from './answer.ts'
import { deadlineMs, throwTooSlow, UploadPace } from './upload-pace.ts'
import { withTimeout } from './with-timeout.ts'

/** Up to this length, one deadline for the whole body is close enough to a minimum pace. */
const SINGLE_DEADLINE_BYTES = 64 * 1024

/**
 * Reads a JSON request's bytes. Throws 413, 415 or 408 while they arrive, not afterwards, and whatever `onBytes` throws, which
 * is called for each piece of a large body.
 */
export async function readBody(request: IncomingRequest, maxBytes: number, onBytes: (bytes: number) => void): Promise<Buffer> {
  const { headers } = request
  refuseEncoded(request)
  if (!isJson(request))
    throw new Refusal('wrong_content', 'The request body must be JSON. Send the header "Content-Type: application/json".')
  refuseCharset(request)
  const declared = headers.get('content-length')
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes)
  try {
    // With a length, Node's parser reads exactly that many bytes, so the host's fast way is safe.
    if (declared === null || Number(declared) > SINGLE_DEADLINE_BYTES) return await readInPieces(request, maxBytes, onBytes)
    const reading = request.bytes()
    return asBuffer(reading instanceof Promise ? await withTimeout(reading, deadlineMs(Number(declared)), throwTooSlow) : reading)
  } catch (error) {
    if (asRefusal(error)) throw error
    throw new Refusal('invalid_request', 'The request body ended early. Send it again.', { detail: String(error) })
  }
}

/** Whether a request declares its body as JSON. */
export const isJson = ({ headers }: IncomingRequest): boolean =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'

const CHARSET = /;\s*charset\s*=\s*["']?([^"';\s]+)/i
/** ASCII is UTF-8 too. */
const UTF8 = /^(?:utf-?8|us-ascii)$/i

/** Throws 415 if a body is declared to be in another charset than UTF-8, as which it would be read all the same. */
export function refuseCharset({ headers }: IncomingRequest): void {
  const charset = CHARSET.exec(headers.get('content-type') ?? '')?.[1]
  if (charset !== undefined && !UTF8.test(charset))
    throw new Refusal(
      'wrong_content',
      `Request bodies in the charset "${charset.slice(0, 32)}" are not supported. Send it in UTF-8, with "charset=utf-8" or without a charset in the Content-Type header.`,
    )
}

/** Throws 415 if a body is compressed. */
export function refuseEncoded({ headers }: IncomingRequest): void {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    throw new Refusal(
      'wrong_content',
      `Request bodies encoded as "${encoding.slice(0, 32)}" are not supported. Send it uncompressed.`,
    )
}

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal(
    'too_large',
    `The request body is larger than ${Math.floor(maxBytes / 1024)} KiB. Send less, or address large media by URL.`,
  )

async function readInPieces(request: IncomingRequest, maxBytes: number, onBytes: (bytes: number) => void): Promise<Buffer> {
  const next = piecesOf(request)
  const pace = new UploadPace()
  const chunks: Uint8Array[] = []
  for (;;) {
    const value = await pace.wait(next())
    if (value === null) return Buffer.concat(chunks)
    pace.addBytes(value.byteLength)
    if (pace.bytes > maxBytes) throw tooLarge(maxBytes)
    onBytes(value.byteLength)
    chunks.push(value)
  }
}
