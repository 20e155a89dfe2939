import type { Agent, IncomingMessage, ServerResponse } from 'node:http'
import { http } from './http.ts'

/** Serves the pages and the console's JSON. */
export interface ConsoleHost {
  handle(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

/** Loads Next after the console was built. `dir` is the folder of the project. */
export async function openConsole(dir: string): Promise<ConsoleHost> {
  process.env.NEXT_MANUAL_SIG_HANDLE = 'true'
  const { default: next } = await import('next')
  // With its first page, Next takes over every request with an Upgrade header, including those to the API (Java's client sends
  // one with each), and answers none. So it gets a server of its own that never receives requests.
  const app = next({ dev: false, dir, httpServer: http.createServer() })
  await app.prepare()
  const handle = app.getRequestHandler()
  return {
    handle: (request, response) => {
      // Next fails at TRACE with an error.
      if (request.method === 'TRACE') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end()
        return
      }
      // The target `*` means the server itself, as OPTIONS allows. It is not a page, and Next fails at it.
      if (request.url === '*') {
        response.writeHead(request.method === 'OPTIONS' ? 204 : 400).end()
        return
      }
      request.url = escapeInvalidPath(request.url ?? '/')
      // A page that fails must not end the process that serves the API.
      handle(request, response).catch(() => response.destroy())
    },
    close: () => app.close(),
  }
}

/** Next fails at a path that is not valid text, such as `/models/%ff`. Replacing it with U+FFFD makes the path not found. */
function escapeInvalidPath(url: string): string {
  const [path = '', ...query] = url.split('?')
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return [path.replaceAll('%', '%EF%BF%BD'), ...query].join('?')
  }
}

/** Headers of a connection, not of a request. They are not forwarded. */
const HOP_BY_HOP_HEADERS = ['connection', 'keep-alive', 'proxy-connection', 'upgrade'] as const
const RETRY_MS = 200
const MAX_WAIT_MS = 10_000

/** Forwards requests to the worker that has loaded Next, over a socket that only this machine's gateway can reach. */
export function connectToConsole(socketPath: string): ConsoleHost {
  // No limit on connections: otherwise requests that wait for their bodies would block all others.
  const agent = new http.Agent({ keepAlive: true })
  return {
    handle: (request, response) => forwardRequest({ socketPath, agent }, request, response, performance.now() + MAX_WAIT_MS),
    close: async () => agent.destroy(),
  }
}

function forwardRequest(
  to: { socketPath: string; agent: Agent },
  request: IncomingMessage,
  response: ServerResponse,
  deadlineMs: number,
): void {
  // If the client disconnected while the console was starting, nobody would read the response.
  if (response.destroyed) return
  const headers = withoutHopByHopHeaders(request.headers)
  const forwarded = http.request({ ...to, method: request.method, path: request.url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, withoutHopByHopHeaders(answer.headers))
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  const onClose = () => {
    if (!response.writableFinished) forwarded.destroy()
  }
  response.once('close', onClose)
  forwarded.on('error', () => {
    response.off('close', onClose)
    if (response.headersSent || response.destroyed) response.destroy()
    // The console is starting. A GET or HEAD can be retried. Anything else is not retried, because its body may have been read.
    else if (isSafeMethod(request) && performance.now() < deadlineMs)
      setTimeout(forwardRequest, RETRY_MS, to, request, response, deadlineMs)
    else response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '2' }).end('The console is starting.\n')
  })
  if (isSafeMethod(request)) forwarded.end()
  else request.pipe(forwarded)
}

const isSafeMethod = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

function withoutHopByHopHeaders(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const remaining = { ...headers }
  for (const name of HOP_BY_HOP_HEADERS) delete remaining[name]
  return remaining
}
