import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  /** Scheme, host and port. */
  origin: string
  /** Also ends requests in progress. Closing again does nothing. */
  close(): Promise<void>
}

/** Makes a server listen for this machine only, on any free port unless one is given. */
export async function listen(server: Server, port = 0): Promise<Listening> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
