import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between two programs whose connections can be cut and blocked. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** How many connections go through it now. */
  readonly connectionCount: number
  /** Cuts connections on both sides at once, as a router that forgot them does. `pick` decides for each connection. */
  reset(pick?: () => boolean): void
  /** Lets nothing through, in either direction, until it is called with false. Neither side is notified. */
  setBlocked(blocked: boolean): void
  /** Never again lets anything through on the current connections, without notice, as when a machine is gone. */
  blackhole(): void
  /** Holds back what the other end sends, but still forwards to it, until it is called with false. */
  setMuted(muted: boolean): void
  /** Refuses new connections until it is called with false. */
  setRefusing(refused: boolean): void
}

/** Starts a proxy to a port of this machine. `targetPort` is called for each connection, because the port may change. */
export async function startTcpProxy(targetPort: () => number): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>()
  const blackholed = new WeakSet<Socket>()
  let blocked = false
  let muted = false
  let refused = false
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (clientSocket) => {
    if (refused) {
      clientSocket.resetAndDestroy()
      return
    }
    const upstreamSocket = connect({ host: '127.0.0.1', port: targetPort(), allowHalfOpen: true, noDelay: true })
    const pair: [Socket, Socket] = [clientSocket, upstreamSocket]
    pairs.add(pair)
    for (const [from, to] of [pair, [upstreamSocket, clientSocket] as const]) {
      from.on('data', (bytes) => {
        if (!to.write(bytes)) from.pause()
      })
      to.on('drain', () => blocked || blackholed.has(from) || (muted && from === upstreamSocket) || from.resume())
      from.on('end', () => to.end())
      from.on('error', () => to.resetAndDestroy())
      from.on('close', () => {
        pairs.delete(pair)
        to.destroy()
      })
    }
    if (blocked) for (const socket of pair) socket.pause()
    if (muted) upstreamSocket.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reset = (pick = () => true): void => {
    for (const [clientSocket, upstreamSocket] of pairs) {
      if (!pick()) continue
      clientSocket.resetAndDestroy()
      upstreamSocket.resetAndDestroy()
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    get connectionCount() {
      return pairs.size
    },
    reset,
    setBlocked(enabled) {
      blocked = enabled
      for (const pair of pairs) for (const socket of pair) enabled || blackholed.has(socket) ? socket.pause() : socket.resume()
    },
    blackhole() {
      for (const socket of [...pairs].flat()) blackholed.add(socket.pause())
    },
    setMuted(enabled) {
      muted = enabled
      for (const [, upstreamSocket] of pairs)
        enabled || blackholed.has(upstreamSocket) ? upstreamSocket.pause() : upstreamSocket.resume()
    },
    setRefusing(enabled) {
      refused = enabled
    },
    async [Symbol.asyncDispose]() {
      server.close()
      reset()
      await once(server, 'close')
    },
  }
}
