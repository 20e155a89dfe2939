import { isFinished, type Task } from '../../domain/task.ts'
import type { GatewayPorts } from '../ports.ts'
import { failTask } from './end-task.ts'
import type { UndeliveredTask } from './ports.ts'
import { retryTransient } from './retry-transient.ts'
import { settlementOf } from './settlement.ts'

/** How long a database takes at most to commit the booking of a process that was killed, or to notice that. */
const COMMIT_MS = 60_000
const LOOK_MS = 5_000

const MESSAGE = 'The answer with the id of this task could not be delivered.'

/** Gives back what a task cost that was completed before it could be ended. */
async function voidTask(task: Task, ports: GatewayPorts): Promise<void> {
  const outcome = { outcome: 'undelivered', status: 503, errorCode: 'service_unavailable', errorText: MESSAGE } as const
  await ports.postVoid({ ...settlementOf(task, outcome, null, task.trace, ports.now()), void: true })
}

/** Ends a task, however far it is by now: its client pays nothing. Returns false if there is none. A repeat changes nothing. */
export function endUndelivered({ id, accountId }: UndeliveredTask, ports: GatewayPorts): Promise<boolean> {
  const end = async (): Promise<boolean> => {
    const task = await ports.tasks.find(accountId, id)
    if (task && !isFinished(task) && (await failTask(task, null, 'undelivered', MESSAGE, task.trace, ports))) return true
    const ended = task && (await ports.tasks.find(accountId, id))
    if (ended?.state === 'completed') await voidTask(ended, ports)
    return task !== null
  }
  return retryTransient(id, 'ending a task that was not reported to its client waits for the database', end, ports)
}

/** The same for a task of a process that died: its booking may take effect a moment after that. */
export async function endAbandoned(task: UndeliveredTask, ports: GatewayPorts): Promise<void> {
  for (let waitedMs = 0; !(await endUndelivered(task, ports)) && waitedMs < COMMIT_MS; waitedMs += LOOK_MS)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref())
}
