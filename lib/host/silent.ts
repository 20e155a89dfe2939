import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const connections = new WeakMap<Server, Set<Socket>>()

/** Remembers the connections of a server on which nothing was asked yet: Node counts them among the busy ones. */
export function watchSilent(server: Server): void {
  const silent = new Set<Socket>()
  connections.set(server, silent)
  server.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', (request) => silent.delete(request.socket))
}

/** Closes them, but for those that have begun to ask: pools and balancers open some ahead, and would be waited for. */
export function closeSilent(server: Server): void {
  for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
}
