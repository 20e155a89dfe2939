import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const connections = new WeakMap<Server, Set<Socket>>()

/** Tracks the connections of a server on which no request has arrived yet. Node counts them as busy. */
export function watchSilent(server: Server): void {
  const silent = new Set<Socket>()
  connections.set(server, silent)
  server.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', (request) => silent.delete(request.socket))
}

/**
 * Closes these connections, except those on which a request has begun. Pools and load balancers open some ahead, and the server
 * would wait for them.
 */
export function closeSilent(server: Server): void {
  for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
}
