import { readdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join, relative, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { TaskBatcher } from '../domain/task-batcher.ts'
import type { Answer, AnswerStream, IncomingRequest } from '../gateway/answer.ts'
import type { HostContext } from '../gateway/receive.ts'
import { LaneRequest, ORIGIN_PATTERN } from './lane-request.ts'

type Params = Record<string, string | string[]>
/** A route handler. In the lane it returns the answer from which it would otherwise build a Response. */
type Handler = (request: IncomingRequest, context: HostContext) => Promise<Answer>

interface Route {
  segments: string[]
  handlers: Record<string, Handler | undefined>
}

/** The top-level folders that the lane serves: the API, and the files that the gateway has made. */
const LANE_FOLDERS: readonly string[] = ['v1', 'files', 'openapi.json']

const OPTIONAL_CATCH_ALL = /^\[\[\.\.\.(\w+)\]\]$/
const CATCH_ALL = /^\[\.\.\.(\w+)\]$/

/** Fixed segments come before variable ones, and variable ones before the rest of a path, as in Next. */
const rank = (segment: string): number =>
  OPTIONAL_CATCH_ALL.test(segment) ? 3 : CATCH_ALL.test(segment) ? 2 : segment.startsWith('[') ? 1 : 0

function compareByRank(a: Route, b: Route): number {
  for (let at = 0; at < Math.max(a.segments.length, b.segments.length); at++) {
    const difference = rank(a.segments[at] ?? '') - rank(b.segments[at] ?? '')
    if (difference !== 0) return difference
  }
  return b.segments.length - a.segments.length
}

/** Loads every `route.ts` below a folder of `app`. The files themselves define which addresses exist. */
async function loadRoutes(appDir: string, routeFolder: string): Promise<Route[]> {
  const files = await readdir(join(appDir, routeFolder), { recursive: true })
  const routes = files
    .filter((file) => file.endsWith('route.ts'))
    .map(async (file): Promise<Route> => {
      const path = join(appDir, routeFolder, file)
      const handlers = (await import(pathToFileURL(path).href)) as Route['handlers']
      return { segments: relative(appDir, path).split(sep).slice(0, -1), handlers }
    })
  return (await Promise.all(routes)).sort(compareByRank)
}

const isStatic = ({ segments }: Route): boolean => segments.every((segment) => rank(segment) === 0)

/** The parameters of a path in a route, or null if the path does not match. */
function match(route: Route, path: string[]): Params | null {
  const params: Params = {}
  for (const [at, segment] of route.segments.entries()) {
    const rest = OPTIONAL_CATCH_ALL.exec(segment) ?? (at < path.length ? CATCH_ALL.exec(segment) : null)
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
 * The fast lane: serves the same handlers that Next serves from folders of `app`, without Next and without web requests and
 * responses. Returns whether the request was for one of them. A client that takes nothing of a response for `readerTimeoutMs`
 * counts as disconnected.
 */
export async function openLane(
  appDir: string,
  readerTimeoutMs: () => number,
  folders = LANE_FOLDERS,
): Promise<(request: IncomingMessage, response: ServerResponse) => boolean> {
  const routes = (await Promise.all(folders.map((folder) => loadRoutes(appDir, folder)))).flat()
  // Most requests name the exact address of a route, so no search is needed.
  const staticRoutes = new Map(routes.filter(isStatic).map((route) => [`/${route.segments.join('/')}`, route]))
  const arrivals = new TaskBatcher()
  return (incoming, outgoing) => {
    const known = staticRoutes.get(incoming.url ?? '')
    const path = known?.segments ?? pathOf(incoming.url)
    if (!folders.includes(path[0] ?? '')) return false
    // HTTP versions before 1.1 do not require a Host header, but nobody relies on that today.
    if (incoming.headers.host === undefined) {
      outgoing.writeHead(400, { connection: 'close' }).end()
      return true
    }
    for (const route of known ? [known] : routes) {
      const params = known ? undefined : match(route, path)
      // A method that no route exports (such as TRACE) is refused like any other that the address does not support.
      const handler = params === null ? undefined : (route.handlers[incoming.method ?? ''] ?? route.handlers.OPTIONS)
      if (!handler) continue
      const context = { params: params ?? undefined, peer: incoming.socket.remoteAddress, lane: true }
      arrivals.add(() => void handle(handler, incoming, outgoing, context, readerTimeoutMs))
      return true
    }
    outgoing.writeHead(404).end()
    return true
  }
}

/** Answers a request, and watches that its client takes what it is sent. Never rejects. */
async function handle(
  handler: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  context: HostContext,
  readerTimeoutMs: () => number,
): Promise<void> {
  try {
    const answer = await handler(new LaneRequest(incoming, outgoing), context)
    // A body that came with its headers is read behind them.
    if (!incoming.complete && hasLongBody(incoming)) await setImmediate()
    const sending = send(answer, incoming, outgoing)
    if (sending !== null) await sending
    watchUnsent(outgoing, readerTimeoutMs())
  } catch {
    outgoing.destroy()
  }
}

/** How long to read what a client still sends after its response, so that its connection can be reused. */
const DISCARD_TIMEOUT_MS = 500
/** A body of this length arrives within that time on most connections. */
const DISCARD_BYTES = 512 * 1024

/**
 * Whether the rest of a request may take too long to be read. Its response has to say that the connection ends with it: Java's own
 * client sends its next request on the connection otherwise, behind a part of the body, and waits for a response forever.
 */
const hasLongBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > DISCARD_BYTES

/** Sends a response. Null if all of it was handed over at once. */
function send({ status, headers, body }: Answer, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> | null {
  if (!incoming.complete)
    outgoing.once('finish', () => {
      // The previous reader has stopped.
      incoming.removeAllListeners('data').resume()
      setTimeout(() => incoming.complete || incoming.destroy(), DISCARD_TIMEOUT_MS).unref()
    })
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    // A response to HEAD states the length that the body would have.
    const closesEarly =
      !incoming.complete &&
      body !== null &&
      (headers.connection === 'close' || !outgoing.shouldKeepAlive || hasLongBody(incoming))
    outgoing.writeHead(status, { 'content-length': length, ...headers, ...(closesEarly ? { connection: 'close' } : {}) })
    if (closesEarly) {
      outgoing.write(body)
      endAfterBody(incoming, outgoing)
    } else outgoing.end(body)
    return null
  }
  outgoing.writeHead(status, headers)
  return pump(body, outgoing)
}

/**
 * Ends a response after which the connection is closed. A connection that is closed while its client still sends is reset, and
 * the client may lose the response, so it gets a moment to read it.
 */
function endAfterBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const end = () => {
    clearTimeout(timer)
    if (!outgoing.writableEnded) outgoing.end()
  }
  const timer = setTimeout(end, DISCARD_TIMEOUT_MS)
  for (const event of ['end', 'close']) incoming.once(event, end)
  incoming.removeAllListeners('data').resume()
}

/** Disconnects a client that stops taking the response, because it would stay in memory and its connection open forever. */
function watchUnsent(outgoing: ServerResponse, readerTimeoutMs: number): void {
  if (outgoing.writableLength === 0) return
  outgoing.setTimeout(readerTimeoutMs, () => outgoing.destroy())
  // Runs before Node sets its timeout for idle connections, because the next response may take longer.
  outgoing.prependOnceListener('finish', () => outgoing.socket?.setTimeout(0))
}

/** Sends a stream as fast as its reader takes it. */
async function pump(stream: AnswerStream, outgoing: ServerResponse): Promise<void> {
  stream.closeConnection = () => outgoing.destroy()
  stream.sendNow = (bytes) => void outgoing.write(bytes)
  // A stream that waits for its bytes to be taken has to learn that they never will be.
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) stream.cancel()
  })
  if (outgoing.destroyed) stream.cancel()
  for (;;) {
    const bytes = await stream.next()
    if (outgoing.destroyed) return
    if (stream.ended) {
      outgoing.end(bytes)
      return
    }
    if (!outgoing.write(bytes)) await onceOrClosed(outgoing, 'drain')
  }
}

/** Resolves at an event, or when the connection is closed. */
function onceOrClosed(outgoing: ServerResponse, event: string): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off(event, done)
      outgoing.off('close', done)
      resolve()
    }
    outgoing.on(event, done)
    outgoing.on('close', done)
  })
}

/** The segments of a request's target. */
function pathOf(target = '/'): string[] {
  const url = target.replace(ORIGIN_PATTERN, '')
  const end = url.search(/[?#]/)
  return (end < 0 ? url : url.slice(0, end)).split('/').filter((part) => part !== '')
}
