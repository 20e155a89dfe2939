import type { Answer, IncomingRequest } from './answer.ts'

/** The origins whose pages may call from a browser; `*` for all. */
export type Origins = '*' | readonly string[]

/** How long a browser remembers that it may. */
const MAX_AGE_S = 7_200

function allowedFor(request: IncomingRequest, origins: Origins): Record<string, string> | null {
  const origin = request.headers.get('origin')
  if (origin === null) return null
  if (origins === '*') return { 'access-control-allow-origin': '*' }
  return origins.includes(origin) ? { 'access-control-allow-origin': origin, vary: 'Origin' } : null
}

/**
 * The answer to a browser that asks beforehand whether a page may call; null where nobody asks, or where it may not. Every
 * method and header is allowed: what is wrong with them, the call itself is told, in words that the page can read. Keys
 * come in a header and never in cookies, so that a page can use no key but one that it was given. Source: the Fetch standard.
 */
export function preflight(request: IncomingRequest, origins: Origins): Answer | null {
  const method = request.headers.get('access-control-request-method')
  if (request.method !== 'OPTIONS' || method === null) return null
  const allowed = allowedFor(request, origins)
  if (allowed === null) return null
  const wanted = request.headers.get('access-control-request-headers')
  const headers = {
    ...allowed,
    'access-control-allow-methods': method,
    ...(wanted === null ? {} : { 'access-control-allow-headers': wanted }),
    'access-control-max-age': String(MAX_AGE_S),
  }
  return { status: 204, headers, body: null }
}

/** An answer as a page may read it, its headers too. Who calls from no page gets it as it is. */
export function readable(answer: Answer, request: IncomingRequest, origins: Origins): Answer {
  const allowed = allowedFor(request, origins)
  if (allowed === null) return answer
  return { ...answer, headers: { ...answer.headers, ...allowed, 'access-control-expose-headers': '*' } }
}
