import { asBuffer } from '../domain/as-buffer.ts'
import { asRefusal, Refusal } from '../domain/errors.ts'
import type { IncomingRequest } from './answer.ts'
import { inTime } from './in-time.ts'

/** An upload may pause this long before its pace counts. */
const GRACE_MS = 15_000
const LEAST_BYTES_PER_SECOND = 1024
/** Up to this length one deadline for the whole is near enough to a least pace. */
const QUICK_BYTES = 64 * 1024

/** Reads a JSON request's bytes. Throws 413, 415 or 408 while they arrive, not after. */
export async function readBody(request: IncomingRequest, maxBytes: number): Promise<Buffer> {
  const { headers } = request
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    throw new Refusal(
      'wrong_content',
      `A request body encoded as "${encoding.slice(0, 32)}" is not read here. Send it uncompressed.`,
    )
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new Refusal('wrong_content', 'The request body must be JSON. Send the header "Content-Type: application/json".')
  const declared = headers.get('content-length')
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes)
  try {
    // With a length, Node's parser reads exactly that much; the quick way of the host is safe then.
    return declared !== null && Number(declared) <= QUICK_BYTES
      ? asBuffer(await inTime(request.bytes(), deadlineMs(Number(declared)), tooSlow))
      : await readCounting(request, maxBytes)
  } catch (error) {
    if (asRefusal(error)) throw error
    throw new Refusal('invalid_request', 'The request body broke off before its end. Send it again.', { detail: String(error) })
  }
}

/** Milliseconds from its start within which an upload must have more than so many bytes. */
const deadlineMs = (bytes: number): number => GRACE_MS + (bytes / LEAST_BYTES_PER_SECOND) * 1000

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal(
    'too_large',
    `The request body is larger than ${Math.floor(maxBytes / 1024)} KiB. Send less, or address large media by URL.`,
  )

const tooSlow = (): never => {
  throw new Refusal('upload_too_slow', 'The request body arrived too slowly. Send it again.')
}

async function readCounting(request: IncomingRequest, maxBytes: number): Promise<Buffer> {
  if (!request.body) return Buffer.alloc(0)
  const started = performance.now()
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    // A sender that stalls sends no chunk at which it could be found out: the wait itself is bounded.
    const { value, done } = await inTime(reader.read(), started + deadlineMs(bytes) - performance.now(), tooSlow)
    if (done) return Buffer.concat(chunks)
    bytes += value.byteLength
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    chunks.push(value)
  }
}
