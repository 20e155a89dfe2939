import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between two programs whose connections can be cut and blocked. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** How many connections go through it now. */
  readonly open: number
  /** Cuts connections on both sides at once, as a router that forgot them does. `pick` decides for each connection. */
  reset(pick?: () => boolean): void
  /** Lets nothing through, in either direction, until it is called with false. Neither side is notified. */
  block(blocked: boolean): void
  /** Never again lets anything through on the current connections, without notice, as when a machine is gone. */
  silence(): void
  /** Holds back what the other end sends, but still forwards to it, until it is called with false. */
  mute(muted: boolean): void
  /** Refuses new connections until it is called with false. */
  refuse(refused: boolean): void
}

/** Starts a proxy to a port of this machine. `targetPort` is called for each connection, because the port may change. */
export async function startTcpProxy(targetPort: () => number): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>()
  const silent = new WeakSet<Socket>()
  let blocked = false
  let muted = false
  let refused = false
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    if (refused) {
      near.resetAndDestroy()
      return
    }
    const far = connect({ host: '127.0.0.1', port: targetPort(), allowHalfOpen: true, noDelay: true })
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => {
        if (!to.write(bytes)) from.pause()
      })
      to.on('drain', () => blocked || silent.has(from) || (muted && from === far) || from.resume())
      from.on('end', () => to.end())
      from.on('error', () => to.resetAndDestroy())
      from.on('close', () => {
        pairs.delete(pair)
        to.destroy()
      })
    }
    if (blocked) for (const socket of pair) socket.pause()
    if (muted) far.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reset = (pick = () => true): void => {
    for (const [near, far] of pairs) {
      if (!pick()) continue
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return pairs.size
    },
    reset,
    block(now) {
      blocked = now
      for (const pair of pairs) for (const socket of pair) now || silent.has(socket) ? socket.pause() : socket.resume()
    },
    silence() {
      for (const socket of [...pairs].flat()) silent.add(socket.pause())
    },
    mute(now) {
      muted = now
      for (const [, far] of pairs) now || silent.has(far) ? far.pause() : far.resume()
    },
    refuse(now) {
      refused = now
    },
    async [Symbol.asyncDispose]() {
      server.close()
      reset()
      await once(server, 'close')
    },
  }
}
