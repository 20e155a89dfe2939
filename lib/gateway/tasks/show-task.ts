import { Refusal } from '../../domain/errors.ts'
import { formatDecimal } from '../../domain/money.ts'
import { isFinished, type Task } from '../../domain/task.ts'
import type { EncodeTask, TaskEndpoint, TaskView } from '../../wire/endpoint.ts'
import type { Answer } from '../answer.ts'
import type { Authenticated } from '../authenticate.ts'
import type { Exchange } from '../exchange.ts'
import type { GatewayPorts } from '../ports.ts'
import { respondJson } from '../respond.ts'
import { failTask } from './end-task.ts'

/** When to ask again: the lower end of what specification 4.10 recommends. */
export const retryHeaders = (task: Pick<TaskView, 'state' | 'seconds'>): Record<string, string> =>
  isFinished(task) ? {} : { 'retry-after': task.seconds <= 10 ? '5' : '15' }

/** The same answer for a task that never existed, has expired, or belongs to another account. */
function unknownTask(id: string): Refusal {
  return new Refusal(
    'unknown_task',
    `There is no task "${id.slice(0, 64)}". Tasks are available for 24 hours, with keys of the account that created them.`,
  )
}

async function findTask(accountId: string, id: string, ports: GatewayPorts): Promise<Task> {
  const task = /^task_[0-9a-z]{26}$/.test(id) ? await ports.tasks.find(accountId, id) : null
  if (!task) throw unknownTask(id)
  return task
}

/** The id inside an answer that was kept for a repeat. */
export const taskIdOf = (body: Uint8Array): string => String((JSON.parse(Buffer.from(body).toString()) as { id?: unknown }).id)

function respondTask(task: Task, encode: EncodeTask, headers: Record<string, string>, exchange: Exchange): Answer {
  return respondJson(exchange.endUnrecorded(), JSON.stringify(encode(task)), { ...headers, ...retryHeaders(task) })
}

/**
 * Waits until a task is finished, its client disconnects, the process ends, or the time for waiting is over. Returns the task
 * as it is then.
 */
export async function waitForTask(
  accountId: string,
  id: string,
  { encode }: { encode: EncodeTask },
  headers: Record<string, string>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const stopped = new AbortController()
  exchange.onStop = () => stopped.abort()
  try {
    const signal = AbortSignal.any([exchange.received.request.signal, stopped.signal])
    await ports.tasks.waitUntilFinished(id, exchange.stopped ? 0 : ports.settings.videos.waitMs, signal)
    const task = await findTask(accountId, id, ports)
    const cost = task.chargedNano === null ? {} : { 'x-tollgate-cost': formatDecimal(task.chargedNano) }
    // A repeat reports that it cost nothing.
    return respondTask(task, encode, { ...cost, ...headers }, exchange)
  } finally {
    exchange.endUnrecorded()
  }
}

const cancelUnfinished = (task: Task, ports: GatewayPorts): Promise<boolean> =>
  failTask(task, null, 'cancelled', 'The video was cancelled. Nothing was charged.', task.trace, ports)

/** Ends a task that its owner cancelled in the console. Does nothing if it is finished or not of this account. */
export async function cancelTask(accountId: string, id: string, ports: GatewayPorts): Promise<void> {
  const task = await ports.tasks.find(accountId, id)
  if (task && !isFinished(task)) await cancelUnfinished(task, ports)
}

/** Shows a task of the caller's account, or ends it first. */
export async function showOrCancelTask(
  endpoint: TaskEndpoint,
  from: Authenticated,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const { id = '' } = from.received.params
  const { accountId } = from.caller
  const task = await findTask(accountId, id, ports)
  if (endpoint.action === 'show') return respondTask(task, endpoint.encode, {}, exchange)
  if (!isFinished(task)) await cancelUnfinished(task, ports)
  const ended = await findTask(accountId, id, ports)
  if (ended.state === 'completed')
    throw new Refusal('task_completed', 'This video is finished and charged, so it cannot be cancelled. Get it from its task.')
  return respondTask(ended, endpoint.encode, {}, exchange)
}
