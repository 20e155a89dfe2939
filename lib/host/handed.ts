import type { ChildProcess } from 'node:child_process'

interface Handle {
  close(): void
}

/**
 * Hangs up on who was handed to a worker that died before it took them. Node hands each connection over with a message and
 * keeps it until that is answered; where its worker is gone by then it keeps it for ever, and whoever opened it would wait as
 * long, for an answer that nobody owes. So they are told at once, and come again.
 *
 * Node shows none of this: `newconn`, `seq` and `ack` are words of its own (lib/internal/cluster). Where they change, nothing is
 * hung up on, and a test fails (`tests/chaos/workers.test.ts`).
 */
export function hangUpUntaken(worker: ChildProcess): void {
  const handed = new Map<unknown, Handle>()
  const send = worker.send.bind(worker) as (...message: unknown[]) => boolean
  worker.send = (...given: unknown[]) => {
    const [message, handle] = given as [{ act?: unknown; seq?: unknown }, Handle | undefined]
    if (message?.act === 'newconn' && handle) handed.set(message.seq, handle)
    return send(...given)
  }
  worker.on('internalMessage', ({ ack }: { ack?: unknown }) => handed.delete(ack))
  worker.once('exit', () => {
    for (const handle of handed.values()) handle.close()
  })
}
