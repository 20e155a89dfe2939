import { Refusal } from '../domain/errors.ts'

/** An upload may pause this long before its pace counts. */
const GRACE_MS = 15_000
const LEAST_BYTES_PER_SECOND = 1024

/** Reads a JSON request's bytes. Throws 413, 415 or 408 while they arrive, not after. */
export async function readBody(request: Request, maxBytes: number): Promise<Buffer> {
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
  const deadlineMs = GRACE_MS + (Number(declared ?? maxBytes) / LEAST_BYTES_PER_SECOND) * 1000
  // With a length, Node's parser reads exactly that much; the quick way of the host is safe then.
  return declared === null ? await readCounting(request, maxBytes) : await inTime(request.arrayBuffer(), deadlineMs)
}

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal(
    'too_large',
    `The request body is larger than ${Math.floor(maxBytes / 1024)} KiB. Send less, or address large media by URL.`,
  )

const tooSlow = (): Refusal => new Refusal('upload_too_slow', 'The request body arrived too slowly. Send it again.')

async function inTime(reading: Promise<ArrayBuffer>, ms: number): Promise<Buffer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), ms)
  })
  try {
    return Buffer.from(await Promise.race([reading, late]))
  } finally {
    clearTimeout(timer)
  }
}

async function readCounting(request: Request, maxBytes: number): Promise<Buffer> {
  if (!request.body) return Buffer.alloc(0)
  const started = performance.now()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    const tookMs = performance.now() - started
    if (tookMs > GRACE_MS && (bytes / tookMs) * 1000 < LEAST_BYTES_PER_SECOND) throw tooSlow()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
