import type { ChildProcess } from 'node:child_process'

interface Handle {
  close(): void
}

/**
 * Closes connections that were handed to a worker that died before it took them. Node sends each connection with a message and
 * keeps it until that message is acknowledged. If the worker is gone by then, Node keeps the connection forever, and the client
 * would wait forever for a response that nobody will send. Closing it at once lets the client retry.
 *
 * None of this is part of Node's public API: `newconn`, `seq` and `ack` are internal (lib/internal/cluster). If they change, no
 * connection is closed, and a test fails (`tests/chaos/workers.test.ts`).
 */
export function closeUnacceptedConnections(worker: ChildProcess): void {
  const unaccepted = new Map<unknown, Handle>()
  const send = worker.send.bind(worker) as (...message: unknown[]) => boolean
  worker.send = (...args: unknown[]) => {
    const [message, handle] = args as [{ act?: unknown; seq?: unknown }, Handle | undefined]
    if (message?.act === 'newconn' && handle) unaccepted.set(message.seq, handle)
    return send(...args)
  }
  worker.on('internalMessage', ({ ack }: { ack?: unknown }) => unaccepted.delete(ack))
  worker.once('exit', () => {
    for (const handle of unaccepted.values()) handle.close()
  })
}
