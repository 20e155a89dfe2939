import type { Answer, IncomingRequest } from './answer.ts'

/** The origins whose pages may call from a browser; `*` for all. */
export type Origins = '*' | readonly string[]

/** How long a browser remembers that a page may call. */
const MAX_AGE_S = 7_200

function corsHeadersFor(request: IncomingRequest, origins: Origins): Record<string, string> | null {
  const origin = request.headers.get('origin')
  if (origin === null) return null
  if (origins === '*') return { 'access-control-allow-origin': '*' }
  return origins.includes(origin) ? { 'access-control-allow-origin': origin, vary: 'Origin' } : null
}

/**
 * The answer to a browser's preflight request; null if it is not one, or if the page may not call. Every method and header is
 * allowed: the call itself reports what is wrong with them, in an error that the page can read. Keys come in a header and
 * never in cookies, so a page can only use a key that it was given. Source: the Fetch standard.
 */
export function answerPreflight(request: IncomingRequest, origins: Origins): Answer | null {
  const method = request.headers.get('access-control-request-method')
  if (request.method !== 'OPTIONS' || method === null) return null
  const allowed = corsHeadersFor(request, origins)
  if (allowed === null) return null
  const requestedHeaders = request.headers.get('access-control-request-headers')
  const headers = {
    ...allowed,
    'access-control-allow-methods': method,
    ...(requestedHeaders === null ? {} : { 'access-control-allow-headers': requestedHeaders }),
    'access-control-max-age': String(MAX_AGE_S),
  }
  return { status: 204, headers, body: null }
}

/** An answer that a page may read, headers included. Calls that do not come from a page get it unchanged. */
export function withCorsHeaders(answer: Answer, request: IncomingRequest, origins: Origins): Answer {
  const allowed = corsHeadersFor(request, origins)
  if (allowed === null) return answer
  return { ...answer, headers: { ...answer.headers, ...allowed, 'access-control-expose-headers': '*' } }
}
