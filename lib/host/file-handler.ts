import { asRefusal, Refusal } from '../domain/errors.ts'
import { extensionOfName, fileIdOf, type SignedUrl, type UrlRejection, verifyUrl } from '../files/names.ts'
import { type ByteRange, parseByteRange } from '../files/range.ts'
import { servedTypeOf } from '../files/served-types.ts'
import type { FileStore, OpenFile } from '../files/store.ts'
import type { Answer, IncomingRequest } from '../gateway/answer.ts'
import type { LogPort } from '../gateway/ports.ts'
import { errorBody } from '../gateway/respond.ts'
import { FileStream } from './file-stream.ts'

/** The most files open at once. Without a limit, anybody who knows one address could use up all file descriptors. */
const MAX_OPEN = 512

export interface FileHandlerParts {
  store: FileStore
  /** The key that signs addresses. */
  key: Uint8Array
  /** Wall clock in milliseconds since 1970. */
  now(): number
  newId(prefix: string, nowMs: number): string
  /** A client that takes nothing for this long counts as disconnected. */
  readerTimeoutMs: () => number
  log: LogPort
}

type Headers = Record<string, string>

const REFUSALS: Record<UrlRejection, () => Refusal> = {
  unknown: () => new Refusal('unknown_path', 'There is no file at this address. Use the address exactly as the API returned it.'),
  unsigned: () =>
    new Refusal(
      'wrong_signature',
      'The signature of this address is missing or invalid. Use the address exactly as the API returned it.',
    ),
  expired: () => new Refusal('expired_file', 'This address has expired, and its file was deleted. Generate it again.'),
}

/** Answers requests for files. The signature in the address grants access, so no API key is needed. */
export function createFileHandler(parts: FileHandlerParts): (request: IncomingRequest) => Promise<Answer> {
  let open = 0
  return async (request) => {
    const id = parts.newId('req', parts.now())
    try {
      const address = authorize(request, parts)
      if (open >= MAX_OPEN)
        throw new Refusal('overloaded', 'Too many files are being read right now. Try again in a moment.', { retryAfter: 1 })
      open++
      let isReleased = false
      const release = () => {
        if (!isReleased) open--
        isReleased = true
      }
      try {
        return await serveFile(request, address, id, release, parts)
      } catch (error) {
        release()
        throw error
      }
    } catch (error) {
      return toRefusalAnswer(error, id, parts)
    }
  }
}

/** The address to read. Throws a Refusal if it may not be read. */
function authorize(request: IncomingRequest, { key, now }: FileHandlerParts): SignedUrl {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new Refusal('wrong_method', `Files do not support ${request.method.slice(0, 16)}. Use GET or HEAD.`, {
      headers: { allow: 'GET, HEAD' },
    })
  // A request target such as `//` is not a valid URL.
  const { pathname, search } = URL.canParse(request.url) ? new URL(request.url) : { pathname: '', search: '' }
  const address = verifyUrl(pathname, search, key, now())
  if (typeof address === 'string') throw REFUSALS[address]()
  return address
}

async function serveFile(
  request: IncomingRequest,
  address: SignedUrl,
  id: string,
  release: () => void,
  parts: FileHandlerParts,
): Promise<Answer> {
  const file = await parts.store.open(address.name)
  if (!file) throw new Refusal('unknown_file', 'This file is no longer stored. Generate it again.')
  try {
    const range = requestedRange(request, address, file)
    if (range === 'beyond')
      throw new Refusal('wrong_range', `The file has ${file.bytes} bytes. Ask for a range that begins inside it.`, {
        headers: { 'content-range': `bytes */${file.bytes}` },
      })
    const headers = headersOf(address, file, range, id, parts.now())
    const status = range ? 206 : 200
    if (request.method === 'HEAD' || file.bytes === 0) {
      await file.close()
      release()
      return { status, headers, body: null }
    }
    const { first, last } = range ?? { first: 0, last: file.bytes - 1 }
    const body = new FileStream({
      file,
      first,
      last,
      signal: request.signal,
      readerTimeoutMs: parts.readerTimeoutMs(),
      onClosed: release,
    })
    return { status, headers, body }
  } catch (error) {
    await file.close()
    throw error
  }
}

const etagOf = (name: string): string => `"${fileIdOf(name)}"`

/** The requested range. A file never changes under its name, so its id is its ETag. An If-Range with a date never matches. */
function requestedRange({ method, headers }: IncomingRequest, { name }: SignedUrl, file: OpenFile): ByteRange | 'beyond' | null {
  const condition = headers.get('if-range')
  if (method === 'HEAD' || (condition !== null && condition.trim() !== etagOf(name))) return null
  return parseByteRange(headers.get('range'), file.bytes)
}

function headersOf(
  { name, untilMs }: SignedUrl,
  { bytes }: OpenFile,
  range: ByteRange | null,
  id: string,
  nowMs: number,
): Headers {
  const extension = extensionOfName(name)
  const { type, inline } = servedTypeOf(extension)
  return {
    'x-request-id': id,
    'content-type': type,
    'content-length': String(range ? range.last + 1 - range.first : bytes),
    ...(range && { 'content-range': `bytes ${range.first}-${range.last}/${bytes}` }),
    'content-disposition': `${inline ? 'inline' : 'attachment'}; filename="${fileIdOf(name)}.${extension}"`,
    'accept-ranges': 'bytes',
    etag: etagOf(name),
    'cache-control': `private, max-age=${Math.floor((untilMs - nowMs) / 1000)}, no-transform`,
    // A copy cached for a page's <img> lacks the headers that let the page's scripts read it.
    vary: 'Origin',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
  }
}

function toRefusalAnswer(error: unknown, id: string, { store, log }: FileHandlerParts): Answer {
  let refusal = asRefusal(error)
  if (!refusal) {
    // Do not log the error itself: it can contain paths and a store's headers.
    const { code, name, $metadata } = (error ?? {}) as { code?: unknown; name?: unknown; $metadata?: { httpStatusCode?: number } }
    // A bucket is asked whether a file exists without a response body that could explain the error, so the status is logged.
    log.warn(
      { request: id, error: String(code ?? name), status: $metadata?.httpStatusCode, store: store.location },
      'a file could not be read',
    )
    refusal = new Refusal('unavailable', 'The file cannot be read right now. Try again in a moment.', { retryAfter: 2 })
  }
  return {
    status: refusal.status,
    headers: {
      'x-request-id': id,
      'content-type': 'application/json',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      ...(refusal.retryAfter === null ? {} : { 'retry-after': String(refusal.retryAfter) }),
      ...refusal.headers,
    },
    body: errorBody(refusal),
  }
}
