import { createServer, type ListenOptions, type Server } from 'node:net'
import type { Env } from '../env.ts'
import { withErrorContext } from '../setup/error-reason.ts'

/** Makes a server listen, on a port or on a path of its own. If a port fails, the error names its settings. */
export async function listen(server: Server, options: ListenOptions): Promise<void> {
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, resolve)
  })
  await (options.path === undefined
    ? withErrorContext('PORT, HOST', 'this gateway cannot listen on that address', listening)
    : listening)
}

/**
 * The port of the settings or, if that is 0, a free one: workers and links need to know it before the server listens on it.
 * Rejects if the port cannot be used, so that a start that could not serve creates nothing.
 */
export async function choosePort({ PORT, HOST }: Pick<Env, 'PORT' | 'HOST'>): Promise<number> {
  const server = createServer()
  await listen(server, { port: PORT, host: HOST })
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
