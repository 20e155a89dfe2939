import { createServer, type ListenOptions, type Server } from 'node:net'
import type { Env } from '../env.ts'
import { under } from '../setup/reason.ts'

/** Lets a server listen, on a port or on a path of its own. Rejects with the settings of the port. */
export async function listen(server: Server, options: ListenOptions): Promise<void> {
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, resolve)
  })
  await (options.path === undefined ? under('PORT, HOST', 'this gateway cannot listen on that address', listening) : listening)
}

/**
 * The port of the settings, or, where that is 0, one that is free: workers and links have to know it before it is listened
 * on. Rejects where it cannot be listened on, so that nothing is made by a start that could not serve.
 */
export async function choosePort({ PORT, HOST }: Pick<Env, 'PORT' | 'HOST'>): Promise<number> {
  const server = createServer()
  await listen(server, { port: PORT, host: HOST })
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
