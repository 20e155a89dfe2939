import { readdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { getRequestListener } from '@hono/node-server'

type Params = Record<string, string | string[]>
type Handler = (request: Request, context: { params: Promise<Params>; peer: string | undefined }) => Promise<Response>

interface Route {
  segments: string[]
  handlers: Record<string, Handler | undefined>
}

const OPTIONAL_REST = /^\[\[\.\.\.(\w+)\]\]$/
const REST = /^\[\.\.\.(\w+)\]$/

/** Fixed segments come before variable ones, and those before the rest of a path, as in Next. */
const rank = (segment: string): number =>
  OPTIONAL_REST.test(segment) ? 3 : REST.test(segment) ? 2 : segment.startsWith('[') ? 1 : 0

function byRank(a: Route, b: Route): number {
  for (let at = 0; at < Math.max(a.segments.length, b.segments.length); at++) {
    const difference = rank(a.segments[at] ?? '') - rank(b.segments[at] ?? '')
    if (difference !== 0) return difference
  }
  return b.segments.length - a.segments.length
}

/** Loads every `route.ts` below a folder of `app`: the files themselves say which addresses there are. */
async function loadRoutes(appDir: string, under: string): Promise<Route[]> {
  const files = await readdir(join(appDir, under), { recursive: true })
  const routes = files
    .filter((file) => file.endsWith('route.ts'))
    .map(async (file): Promise<Route> => {
      const path = join(appDir, under, file)
      const handlers = (await import(pathToFileURL(path).href)) as Route['handlers']
      return { segments: relative(appDir, path).split(sep).slice(0, -1), handlers }
    })
  return (await Promise.all(routes)).sort(byRank)
}

/** The parameters of a path in a route, or null where it is another one. */
function match(route: Route, path: string[]): Params | null {
  const params: Params = {}
  for (const [at, segment] of route.segments.entries()) {
    const rest = OPTIONAL_REST.exec(segment) ?? (at < path.length ? REST.exec(segment) : null)
    if (rest) {
      params[rest[1] ?? ''] = path.slice(at)
      return params
    }
    const part = path[at]
    if (part === undefined) return null
    if (segment.startsWith('[')) params[segment.slice(1, -1)] = part
    else if (segment !== part) return null
  }
  return path.length === route.segments.length ? params : null
}

/**
 * The fast lane: serves the very handlers that Next serves from `app/v1`, without Next. Answers whether
 * the request was its to serve.
 */
export async function openLane(appDir: string): Promise<(request: IncomingMessage, response: ServerResponse) => boolean> {
  const routes = await loadRoutes(appDir, 'v1')
  const listener = getRequestListener(
    async (request, { incoming }) => {
      const path = pathOf(incoming.url)
      for (const route of routes) {
        const params = match(route, path)
        // A method that no route exports (TRACE, say) is refused as the others are that an address does not take.
        const handler = params && (route.handlers[request.method] ?? route.handlers.OPTIONS)
        if (params && handler)
          return await handler(request, { params: Promise.resolve(params), peer: incoming.socket?.remoteAddress })
      }
      return new Response(null, { status: 404 })
    },
    { overrideGlobalObjects: false },
  )
  return (request, response) => {
    if (pathOf(request.url)[0] !== 'v1') return false
    void listener(request, response)
    return true
  }
}

/** The segments of a request's target, which may be a whole address (RFC 9112, section 3.2.2). */
function pathOf(target = '/'): string[] {
  const url = target.replace(/^https?:\/\/[^/?#]*/i, '')
  const end = url.search(/[?#]/)
  return (end < 0 ? url : url.slice(0, end)).split('/').filter((part) => part !== '')
}
