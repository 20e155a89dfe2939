import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'

/** What serves the pages and the console's JSON. */
export interface ConsoleHost {
  handle(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

/** Loads Next, once the console is built. `dir` is the folder of the project. */
export async function openConsole(dir: string): Promise<ConsoleHost> {
  process.env.NEXT_MANUAL_SIG_HANDLE = 'true'
  const { default: next } = await import('next')
  // At its first page Next takes over every request with an Upgrade header, the API's too (Java's client sends one
  // with each), and answers none: it gets a server of its own to listen to, on which nothing comes.
  const app = next({ dev: false, dir, httpServer: createServer() })
  await app.prepare()
  const handle = app.getRequestHandler()
  return {
    handle: (request, response) => {
      // Next fails at it, loudly.
      if (request.method === 'TRACE') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end()
        return
      }
      // Of the server itself, as OPTIONS may ask: no page, and no address to Next, which fails at it.
      if (request.url === '*') {
        response.writeHead(request.method === 'OPTIONS' ? 204 : 400).end()
        return
      }
      request.url = readable(request.url ?? '/')
      // A page that fails may not end the process that serves the API.
      handle(request, response).catch(() => response.destroy())
    },
    close: () => app.close(),
  }
}

/** Next fails at a path that says no characters, such as `/models/%ff`. With U+FFFD for what cannot be read, it leads nowhere. */
function readable(url: string): string {
  const [path = '', ...query] = url.split('?')
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return [path.replaceAll('%', '%EF%BF%BD'), ...query].join('?')
  }
}

/** Of a connection, not of a request: these are not handed on. */
const HOP = ['connection', 'keep-alive', 'proxy-connection', 'upgrade'] as const
const RETRY_MS = 200
const WAIT_MS = 10_000

/** Hands requests on to the worker that has loaded Next, on a socket that only this machine's gateway can reach. */
export function remoteConsole(socketPath: string): ConsoleHost {
  // As many as are asked for: those that wait for their bodies would else keep all others from it.
  const agent = new Agent({ keepAlive: true })
  return {
    handle: (request, response) => handOn({ socketPath, agent }, request, response, performance.now() + WAIT_MS),
    close: async () => agent.destroy(),
  }
}

function handOn(
  to: { socketPath: string; agent: Agent },
  request: IncomingMessage,
  response: ServerResponse,
  untilMs: number,
): void {
  // Whoever has left while it was starting would leave an answer that nobody takes.
  if (response.destroyed) return
  const headers = without(request.headers)
  const asked = httpRequest({ ...to, method: request.method, path: request.url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, without(answer.headers))
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  const gone = () => {
    if (!response.writableFinished) asked.destroy()
  }
  response.once('close', gone)
  asked.on('error', () => {
    response.off('close', gone)
    if (response.headersSent || response.destroyed) response.destroy()
    // It is starting: a page that is looked at can wait for it; what was sent may have been read.
    else if (isLook(request) && performance.now() < untilMs) setTimeout(handOn, RETRY_MS, to, request, response, untilMs)
    else response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '2' }).end('The console is starting.\n')
  })
  if (isLook(request)) asked.end()
  else request.pipe(asked)
}

const isLook = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

function without(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const kept = { ...headers }
  for (const name of HOP) delete kept[name]
  return kept
}
