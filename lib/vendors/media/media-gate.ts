import { type Dispatcher, FormData, fetch as undiciFetch } from 'undici'
import { withSentCallback } from '../sent-callback.ts'
import { VendorFailure } from '../vendor.ts'
import type { MediaDialect } from './media-dialect.ts'

/** The largest answer. A provider package reads whole answers into memory. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024

/** Marks an address in place of a result's bytes. The gateway fetches the result from there, in the same way as all others. */
const URL_MARKER = 'tollgate:result-at:'

/** The address in place of a result; null if these are the result's bytes. */
export function resultUrlIn(result: Uint8Array): string | null {
  const head = Buffer.from(result.buffer, result.byteOffset, Math.min(result.byteLength, URL_MARKER.length))
  return head.toString('latin1') === URL_MARKER ? Buffer.from(result).toString('utf8').slice(URL_MARKER.length) : null
}

/** What the gate knows about a call. */
export interface MediaCall {
  posted: number
  /** The status of the last answer. */
  status: number | null
  onSent?: () => void
}

/**
 * The only `fetch` that a provider package of other media gets. It sends requests only to the connection's own address and the
 * vendor's other hosts, and posts at most `dialect.posts` times per call, so that nothing is billed twice. Results that are
 * elsewhere are not fetched: their address is passed on.
 */
export function mediaFetch(dialect: MediaDialect, baseUrl: string, call: MediaCall, agent: Dispatcher): typeof globalThis.fetch {
  const base = new URL(baseUrl)
  const isOwn = (url: URL): boolean =>
    url.origin === base.origin || (url.protocol === 'https:' && dialect.hosts !== null && dialect.hosts.test(url.hostname))
  return async (input, init) => {
    const method = init?.method ?? 'GET'
    const url = toConnectionUrl(new URL(String(input)), dialect, base)
    if (!isOwn(url)) {
      if (method !== 'GET') throw new VendorFailure('over_cap', 'the provider package posts to another address')
      return new Response(`${URL_MARKER}${url.href}`)
    }
    if (method !== 'GET') {
      call.posted++
      if (call.posted > dialect.posts) throw new VendorFailure('over_cap', 'the provider package asks a second time in one call')
    }
    const answer = await undiciFetch(url.href, {
      method,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), 'accept-encoding': 'identity' },
      body: bodyOf(init?.body) as never,
      signal: init?.signal ?? null,
      dispatcher: call.onSent ? withSentCallback(agent, call.onSent) : agent,
      // A redirect could send our credentials to another server.
      redirect: 'error',
    })
    call.status = answer.status
    const body = await readBounded(answer.body as ReadableStream<Uint8Array> | null)
    const isJson = answer.headers.get('content-type')?.includes('json')
    const refusal = dialect.refusalIn && answer.ok && isJson ? dialect.refusalIn(jsonIn(body)) : null
    // In the form of a direct refusal.
    if (refusal !== null) return Response.json({ detail: refusal }, { status: 422 })
    return new Response(body, { status: answer.status, headers: [...answer.headers] })
  }
}

/** Replaces an address that is hard-coded in the package by the connection's own. The vendor's real hosts stay as they are. */
function toConnectionUrl(url: URL, { packageOrigins, hosts }: MediaDialect, base: URL): URL {
  if (!packageOrigins.includes(url.origin) || url.origin === base.origin || hosts?.test(base.hostname)) return url
  return new URL(`${base.pathname.replace(/\/+$/, '')}${url.pathname}${url.search}`, base.origin)
}

/** The same body for undici, which accepts only its own FormData. */
function bodyOf(body: RequestInit['body']): unknown {
  if (!(body instanceof globalThis.FormData)) return body ?? null
  const form = new FormData()
  for (const [name, value] of body) form.append(name, value as never)
  return form
}

/** The JSON value of a body; null if it is not JSON after all. */
function jsonIn(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '')
  } catch {
    return null
  }
}

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Buffer<ArrayBuffer> | null> {
  if (body === null) return null
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > MAX_ANSWER_BYTES) throw new VendorFailure('unreadable', `the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
  }
  return Buffer.concat(chunks)
}
