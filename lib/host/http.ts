import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ADDRESS_HEADER } from '../console/client-address.ts'
import { Refusal } from '../domain/errors.ts'
import type { Env } from '../env.ts'
import { constantTimeEquals } from '../files/constant-time-equals.ts'
import { clientAddress } from '../gateway/receive.ts'
import { errorBody } from '../gateway/respond.ts'
import type { Health } from './health.ts'
import { makeId } from './make-id.ts'
import { closeUnusedConnections, trackUnusedConnections } from './unused-connections.ts'

/** Node's module. An import of it would also load Node's own fetch, which takes a tenth of the processor time of a start. */
export const http = process.getBuiltinModule('node:http')

type Listener = (request: IncomingMessage, response: ServerResponse) => void

export interface HttpParts {
  env: Pick<Env, 'TRUSTED_PROXIES' | 'METRICS_TOKEN'>
  health: Health
  /** The metrics that Prometheus reads: of this process, or of all workers. */
  metrics: () => Promise<string>
  /** Serves the API. Null if this process serves the console only. */
  lane: ((request: IncomingMessage, response: ServerResponse) => boolean) | null
  /** Serves everything that the lane does not. Null if this process has no console. */
  consoleListener: Listener | null
  /** Whether its only clients are workers of this gateway, which say for which client they ask. */
  behindWorkers: boolean
}

/** The time to send a body to the console. Bodies are small, so a slow client is slow on purpose and blocks others. */
const BODY_TIMEOUT_MS = 30_000

/** Disconnects a client that does not send the body of a console request in time. The lane has its own pace. */
function limitBodyTime(request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (length === undefined && coding === undefined) return
  const timer = setTimeout(() => request.complete || request.destroy(), BODY_TIMEOUT_MS)
  request.once('close', () => clearTimeout(timer))
}

/** Builds the server of the one port: the fast lane for the API, /metrics, /healthz, and Next for everything else. */
export function createHttp(parts: HttpParts): Server {
  const { lane, consoleListener, health } = parts
  const handleOther: Listener = (request, response) => {
    if (health.serve(request, response)) return
    if (request.url === '/metrics') {
      sendMetrics(parts, request, response).catch(() => response.destroy())
      return
    }
    if (!lane && /^\/(?:v1|files)(?:[/?]|$)/.test(request.url ?? '')) return refuseApi(response, NO_API_MESSAGE)
    if (lacksVersion(request)) return refuseApi(response, BASE_URL_HINT)
    if (!consoleListener) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('This process serves the API only.\n')
      return
    }
    limitBodyTime(request)
    // Only a socket vouches for an address, so whatever the client put into this header is replaced.
    if (!parts.behindWorkers)
      request.headers[ADDRESS_HEADER] =
        clientAddress(request.socket.remoteAddress, forwardedFor(request), parts.env.TRUSTED_PROXIES) ?? ''
    consoleListener(request, response)
  }
  const server = http.createServer(
    { keepAliveTimeout: 65_000, requestTimeout: 0, headersTimeout: 30_000 },
    (request, response) => {
      if (!lane?.(request, response)) handleOther(request, response)
    },
  )
  // The lane asks for a body when it wants it. Next does not know that a client waits to be asked.
  server.on('checkContinue', (request, response) => {
    if (lane?.(request, response)) return
    response.writeContinue()
    handleOther(request, response)
  })
  trackUnusedConnections(server)
  return server
}

const NO_API_MESSAGE = 'This process serves the console only. The API has another address.'
const BASE_URL_HINT = 'The addresses of the API begin with /v1. Make sure that the base URL of your client ends with it.'
/** API paths that were requested without /v1: clients with an incomplete base URL would otherwise get a page of the console. */
const API_LIKE_PATH =
  /^[^?#]*\/(?:chat\/completions|completions|responses|embeddings|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations)|videos\/generations)\/?(?:\?|$)/

/** API paths that are read. Some are pages of the console too, which nobody asks for with an API key. */
const API_LIKE_READ = /^[^?#]*\/(?:models|responses|videos\/generations)(?:[/?]|$)/
const API_KEY_HEADER = /^bearer +sk-/i

/** Whether an API request is for an address without /v1. */
const lacksVersion = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'POST' ? API_LIKE_PATH.test(url) : API_KEY_HEADER.test(headers.authorization ?? '') && API_LIKE_READ.test(url)

/** Refuses an API request. In a process with only the console, Next has the API's routes but nothing to serve them with. */
function refuseApi(response: ServerResponse, message: string): void {
  const refusal = new Refusal('unknown_path', message)
  const headers = {
    'x-request-id': makeId('req', Date.now()),
    'content-type': 'application/json',
    'cache-control': 'no-store, no-transform',
  }
  response.writeHead(refusal.status, headers).end(errorBody(refusal))
}

/**
 * A request may still be in transit for this long on a connection that seems idle. Closing the connection would lose it silently.
 */
const LINGER_MS = 500

/**
 * Waits for the requests in progress, but no longer than `drainMs`. From now on each response closes its connection. Soon after,
 * no new connections are accepted, and those without any request are closed.
 */
export async function closeHttp(server: Server, drainMs: number): Promise<void> {
  const closeTimer = setTimeout(() => server.closeAllConnections(), drainMs)
  for (const event of ['request', 'checkContinue'])
    server.prependListener(event, (_request: IncomingMessage, response: ServerResponse) => {
      response.shouldKeepAlive = false
    })
  const connections = await promisify(server.getConnections.bind(server))()
  if (connections > 0) await sleep(Math.min(LINGER_MS, drainMs))
  // A connection with a request in progress is not idle until its response has ended, and would stay open without this.
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    closeUnusedConnections(server)
  })
  clearTimeout(closeTimer)
  clearInterval(idle)
}

function forwardedFor(request: IncomingMessage): string | null {
  const header = request.headers['x-forwarded-for']
  return (Array.isArray(header) ? header.join(',') : header) ?? null
}

const LOOPBACK: readonly unknown[] = ['::1', '127.0.0.1', '::ffff:127.0.0.1']
/** Headers that proxies add about the client. By default nginx adds none, but then it uses HTTP/1.0. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']

/** Whether the request comes from this machine itself, and not through a proxy on it. */
const isLocalRequest = ({ socket, httpVersion, headers }: IncomingMessage): boolean =>
  LOOPBACK.includes(socket.remoteAddress) && httpVersion !== '1.0' && !FORWARDED.some((name) => name in headers)

/** Serves metrics to requests with the token or, if no token is set, to this machine only. */
async function sendMetrics({ env, metrics }: HttpParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const token = env.METRICS_TOKEN
  const allowed = token
    ? constantTimeEquals(/^bearer +(.*)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '', token)
    : isLocalRequest(request)
  if (!allowed) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end('Set METRICS_TOKEN and send it as a bearer token.\n')
    return
  }
  const text = await metrics()
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text)
}
