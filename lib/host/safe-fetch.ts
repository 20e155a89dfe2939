import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { Refusal } from '../domain/errors.ts'
import type { FetchedFile, FilePort } from '../wire/answer.ts'
import { isPublicAddress } from './public-address.ts'

const MAX_REDIRECTS = 3
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])

export interface SafeFetchOptions {
  /** How host names are resolved. */
  lookup?: LookupFunction
  connectTimeoutMs?: number
  /** The limit between two chunks, and before the first. */
  idleTimeoutMs?: number
  /** The limit from the first connection to the last byte. */
  totalTimeoutMs?: number
}

/**
 * Fetches URLs that others supplied, only from the public internet and one origin that the caller vouches for. The address behind
 * a name is checked when the connection is made, redirects included, so it cannot change in between. Sends no credentials.
 */
export function createSafeFetch(options: SafeFetchOptions = {}): { fetch: FilePort['fetch']; close(): Promise<void> } {
  const { connectTimeoutMs = 10_000, idleTimeoutMs = 30_000, totalTimeoutMs = 300_000 } = options
  const timeouts = { headersTimeout: idleTimeoutMs, bodyTimeout: idleTimeoutMs, allowH2: false }
  const ownOriginAgent = new Agent({ ...timeouts, connect: { timeout: connectTimeoutMs } })
  const publicAgent = new Agent({ ...timeouts, connect: createPublicConnector(connectTimeoutMs, options.lookup ?? systemLookup) })
  return {
    async fetch(address, maxBytes, ownOrigin, signal) {
      const total = AbortSignal.timeout(totalTimeoutMs)
      const limits = { maxBytes, signal: signal ? AbortSignal.any([signal, total]) : total }
      try {
        let url = parseUrl(address)
        for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
          const found = await requestOnce(url, url.origin === ownOrigin ? ownOriginAgent : publicAgent, limits)
          if (!(found instanceof URL)) return found
          url = found
        }
      } catch (error) {
        throw refusalOf(error)
      }
      throw refuse('too many redirects')
    },
    async close() {
      await Promise.all([ownOriginAgent.destroy(), publicAgent.destroy()])
    },
  }
}

interface Limits {
  maxBytes: number
  signal: AbortSignal
}

const refuse = (detail: string): Refusal =>
  new Refusal('vendor_failed', 'A result could not be fetched from its address. Try again.', { detail })

/** Do not use the message of an error: it can contain addresses. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return refuse(typeof code === 'string' ? code : String(name ?? 'unknown'))
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw refuse('no http address')
  if (url.username !== '' || url.password !== '') throw refuse('an address with a password')
  return url
}

/** Sends one request. Returns what it found, or the URL to which it was redirected. */
async function requestOnce(url: URL, dispatcher: Dispatcher, { maxBytes, signal }: Limits): Promise<FetchedFile | URL> {
  const { statusCode, headers, body } = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'GET',
    headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'tollgate' },
    signal,
  })
  const destroyBody = () => {
    body.on('error', () => undefined)
    body.destroy()
  }
  try {
    if (REDIRECT_STATUSES.has(statusCode) && typeof headers.location === 'string') {
      const next = parseUrl(headers.location, url)
      destroyBody()
      return next
    }
    if (statusCode !== 200) throw refuse(`status ${statusCode}`)
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw refuse('a compressed answer')
    // Fails early. The actual limit is enforced on the bytes as they arrive.
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw refuse('too large')
    return { type: mediaTypeOf(headers['content-type']), body: limitBytes(body, maxBytes) }
  } catch (error) {
    destroyBody()
    throw error
  }
}

function mediaTypeOf(header: string | string[] | undefined): string {
  const text = Array.isArray(header) ? header[0] : header
  return (text?.split(';', 1)[0] ?? '').trim().toLowerCase()
}

async function* limitBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const piece of body) {
      bytes += piece.byteLength
      if (bytes > maxBytes) throw refuse('too large')
      yield piece
    }
  } catch (error) {
    throw refusalOf(error)
  }
}

/** A connector that connects only to public addresses. Others fail with a Refusal. */
export function createPublicConnector(timeout: number, lookup: LookupFunction): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: createPublicLookup(lookup) })
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1')
    // IP addresses are not looked up. Parsing the URL already turned decimal, octal and short forms into plain ones.
    if (isIP(host) !== 0 && !isPublicAddress(host)) {
      callback(refuse('a private address'), null)
      return
    }
    connect(options, callback)
  }
}

/** Accepts a name only if all of its addresses are public: a name with both kinds is there to mislead. */
function createPublicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0)
      const all = Array.isArray(found) ? found : []
      const [first] = all
      if (!first || all.some(({ address }) => !isPublicAddress(address))) return callback(refuse('a private address'), '', 0)
      if (options.all) return callback(null, all)
      callback(null, first.address, first.family)
    })
}
