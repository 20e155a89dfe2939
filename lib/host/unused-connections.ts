import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const unusedByServer = new WeakMap<Server, Set<Socket>>()

/** Tracks the connections of a server on which no request has arrived yet. Node counts them as busy. */
export function trackUnusedConnections(server: Server): void {
  const unused = new Set<Socket>()
  unusedByServer.set(server, unused)
  server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', (request) => unused.delete(request.socket))
}

/**
 * Closes these connections, except those on which a request has begun. Pools and load balancers open some ahead, and the server
 * would wait for them.
 */
export function closeUnusedConnections(server: Server): void {
  for (const socket of unusedByServer.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
}
