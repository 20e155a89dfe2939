import { isFinished } from '../../domain/task.ts'
import type { GatewayPorts } from '../ports.ts'
import { failTask } from './end-task.ts'
import type { HeldTask } from './held-task.ts'
import { poll } from './poll.ts'
import { stopVendor } from './stop-vendor.ts'
import { submit } from './submit.ts'

/** A poll that is due within this time may go out now. */
const DUE_WITHIN_MS = 5

/**
 * Takes one turn of a task, whatever it needs next: asks its vendor to begin, for its status, or to stop. It may be called
 * too often, too late, and by several processes at once: the database decides whose turn it is, and a process that has lost
 * its turn can write nothing. `signal` ends what can be resumed later.
 */
export async function stepTask(id: string, signal: AbortSignal, ports: GatewayPorts): Promise<void> {
  const task = (await ports.tasks.claim(id)) as HeldTask | null
  if (task === null) return
  if (isFinished(task)) return await stopVendor(task, signal, ports)
  const { timeoutMs, pollsPerSecond } = ports.settings.videos
  if (task.ageMs > timeoutMs) {
    await failTask(
      task,
      task.turn,
      'timed_out',
      'The video took too long and was cancelled. Nothing was charged.',
      task.trace,
      ports,
    )
    return
  }
  // The rate of requests paces the first call to a vendor; all later calls are paced here.
  if ((task.operation !== null || task.failures > 0) && !task.inPlace) {
    const inMs = await ports.tasks.reservePoll(pollsPerSecond)
    if (inMs > DUE_WITHIN_MS) {
      await ports.tasks.scheduleNext(task, { inMs, place: true, failing: null, trace: task.trace })
      return
    }
  }
  if (task.operation === null) await submit(task, ports)
  else await poll(task, signal, ports)
}
