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
      // A page that fails may not end the process that serves the API.
      handle(request, response).catch(() => response.destroy())
    },
    close: () => app.close(),
  }
}

/** Hands requests on to the worker that has loaded Next, on a socket that only this machine's gateway can reach. */
export function remoteConsole(socketPath: string): ConsoleHost {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  return {
    handle(request, response) {
      const { method, url: path, headers } = request
      const asked = httpRequest({ socketPath, agent, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      })
      asked.on('error', () => {
        if (response.headersSent) response.destroy()
        else response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '2' }).end('The console is starting.\n')
      })
      response.on('close', () => {
        if (!response.writableFinished) asked.destroy()
      })
      request.pipe(asked)
    },
    close: async () => agent.destroy(),
  }
}
