import { type Dispatcher, FormData, fetch as undiciFetch } from 'undici'
import { telling } from '../telling.ts'
import { VendorFailure } from '../vendor.ts'
import type { MediaDialect } from './media-dialect.ts'

/** A provider package reads whole answers into memory. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024

/** What stands in place of a result's bytes: the address where it lies, which the gateway fetches as it fetches all such. */
const ADDRESS_MARK = 'tollgate:result-at:'

/** The address that stands in place of a result; null where these are its bytes. */
export function addressIn(result: Uint8Array): string | null {
  const head = Buffer.from(result.buffer, result.byteOffset, Math.min(result.byteLength, ADDRESS_MARK.length))
  return head.toString('latin1') === ADDRESS_MARK ? Buffer.from(result).toString('utf8').slice(ADDRESS_MARK.length) : null
}

/** What is known of a call at its last gate. */
export interface MediaCall {
  posted: number
  /** Of the last answer. */
  status: number | null
  sending?: () => void
}

/**
 * The only `fetch` that a provider package of other media gets. It posts to the connection's own address only, and no
 * oftener than once for what is billed once. It asks there, and at the vendor's other hosts, how work stands. Results that
 * lie elsewhere are not fetched: their address is handed on.
 */
export function mediaFetch(dialect: MediaDialect, baseUrl: string, call: MediaCall, agent: Dispatcher): typeof globalThis.fetch {
  const base = new URL(baseUrl)
  const isOwn = (url: URL): boolean =>
    url.origin === base.origin || (url.protocol === 'https:' && dialect.hosts !== null && dialect.hosts.test(url.hostname))
  return async (input, init) => {
    const method = init?.method ?? 'GET'
    const url = atHome(new URL(String(input)), dialect, base)
    if (!isOwn(url)) {
      if (method !== 'GET') throw new VendorFailure('over_cap', 'the provider package posts to another address')
      return new Response(`${ADDRESS_MARK}${url.href}`)
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
      dispatcher: call.sending ? telling(agent, call.sending) : agent,
      // It would take our credentials to wherever it points.
      redirect: 'error',
    })
    call.status = answer.status
    const body = await bounded(answer.body as ReadableStream<Uint8Array> | null)
    const isJson = answer.headers.get('content-type')?.includes('json')
    const refused = dialect.refused && answer.ok && isJson ? dialect.refused(jsonIn(body)) : null
    // As the vendor would have put it, had it refused at once.
    if (refused !== null) return Response.json({ detail: refused }, { status: 422 })
    return new Response(body, { status: answer.status, headers: [...answer.headers] })
  }
}

/** Swaps an address that is written into the package for the connection's own; the vendor's real hosts stay as they are. */
function atHome(url: URL, { homes, hosts }: MediaDialect, base: URL): URL {
  if (!homes.includes(url.origin) || url.origin === base.origin || hosts?.test(base.hostname)) return url
  return new URL(`${base.pathname.replace(/\/+$/, '')}${url.pathname}${url.search}`, base.origin)
}

/** The same body for undici, which takes no forms but its own. */
function bodyOf(body: RequestInit['body']): unknown {
  if (!(body instanceof globalThis.FormData)) return body ?? null
  const form = new FormData()
  for (const [name, value] of body) form.append(name, value as never)
  return form
}

/** What a body says; null where it is no JSON after all. */
function jsonIn(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '')
  } catch {
    return null
  }
}

async function bounded(body: ReadableStream<Uint8Array> | null): Promise<Buffer<ArrayBuffer> | null> {
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
