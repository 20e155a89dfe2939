import { isFinished } from '../../domain/task.ts'
import type { GatewayPorts } from '../ports.ts'
import { fail } from './end.ts'
import type { HeldTask } from './held-task.ts'
import { poll } from './poll.ts'
import { stopVendor } from './stop.ts'
import { submit } from './submit.ts'

/** A place that is nearly there is there. */
const NOW_MS = 5

/**
 * One turn of a task, whatever it needs next: its vendor is asked to begin, or how it stands, or to stop. It may be
 * called too often, too late, and by several processes at once: whose turn it is, the database says, and what one that
 * lost its turn still wants to write is not written. `signal` ends what can be taken up again.
 */
export async function stepTask(id: string, signal: AbortSignal, ports: GatewayPorts): Promise<void> {
  const task = (await ports.tasks.claim(id)) as HeldTask | null
  if (task === null) return
  if (isFinished(task)) return await stopVendor(task, signal, ports)
  const { timeoutMs, pollsPerSecond } = ports.settings.videos
  if (task.ageMs > timeoutMs) {
    await fail(task, task.turn, 'timed_out', 'The video took too long and was cancelled. Nothing was charged.', task.trace, ports)
    return
  }
  // The first call of a vendor is paced by the requests; all later ones are paced here.
  if ((task.operation !== null || task.failures > 0) && !task.inPlace) {
    const inMs = await ports.tasks.takePlace(pollsPerSecond)
    if (inMs > NOW_MS) {
      await ports.tasks.later(task, { inMs, place: true, failing: null, trace: task.trace })
      return
    }
  }
  if (task.operation === null) await submit(task, ports)
  else await poll(task, signal, ports)
}
