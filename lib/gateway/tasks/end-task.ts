import type { Attempt } from '../../domain/settlement.ts'
import type { Task, TaskEnd } from '../../domain/task.ts'
import { countTraffic } from '../count-traffic.ts'
import { buildHistoryJson } from '../history-json.ts'
import type { GatewayPorts } from '../ports.ts'
import { settlementOf, type TaskOutcome } from './settlement.ts'
import { findTaskDeployment } from './task-deployment.ts'

/** Does everything that has to be done when a task ends. False if somebody else ended it, or if its turn is another's. */
async function endTask(
  task: Task,
  turn: number | null,
  taskOutcome: TaskOutcome,
  taskEnd: TaskEnd,
  trace: readonly Attempt[],
  ports: GatewayPorts,
): Promise<boolean> {
  const chargedSeconds = taskEnd.state === 'completed' ? taskEnd.seconds : null
  const settlement = settlementOf(task, taskOutcome, chargedSeconds, trace, ports.now())
  const settled = await ports.tasks.finish(task, turn, taskEnd, settlement)
  if (settled === null) return false
  ports.wallet.recordBalance(task.accountId, settled.balance)
  if (settled.recall) ports.wallet.recall(task.accountId)
  if (settled.shortfall > 0n)
    ports.log.error(
      { task: task.id, shortfallNano: String(settled.shortfall) },
      'a vendor used more than its hold; the operator pays the rest',
    )
  const { endpoint, modelId: model, outcome, status, tookMs, ownMs, firstTokenMs } = settlement
  ports.observe({ endpoint, model, outcome, status, tookMs, ownMs, firstTokenMs })
  // Its time is the video's: the vendor was called many times.
  const { deployment = null } = findTaskDeployment(task.deploymentId ?? trace.at(-1)?.deployment ?? null, ports) ?? {}
  countTraffic({ item: settlement, settled, calls: { deployment, startsMs: [], endMs: null }, headers: null }, ports)
  if (task.keepHistory) {
    const answer = {
      status: taskEnd.state,
      duration: taskEnd.seconds,
      ...(taskEnd.url === null ? {} : { video_url: taskEnd.url }),
      ...(taskEnd.error === null ? {} : { error: taskEnd.error }),
    }
    const asked = JSON.stringify(task.asked)
    const toJson = () => buildHistoryJson(asked, { id: task.id, object: 'video.generation', ...answer })
    ports.history.save(task.requestId, task.createdAt, task.accountId, asked.length, toJson)
  }
  return true
}

/** Ends a task with its video: charges what it costs, and frees the rest of its hold. */
export async function completeTask(
  task: Task,
  url: string,
  seconds: number,
  trace: readonly Attempt[],
  ports: GatewayPorts,
): Promise<boolean> {
  const taskOutcome: TaskOutcome = { outcome: 'finished', status: 200, errorCode: null, errorText: null }
  const taskEnd: TaskEnd = { state: 'completed', seconds, url, error: null, stopVendor: false }
  return await endTask(task, task.turn, taskOutcome, taskEnd, trace, ports)
}

/** Why a task has no video. `cancelled`: its owner cancelled it. */
export type TaskFailure = 'vendor_failed' | 'timed_out' | 'cancelled' | 'undelivered'

/**
 * Ends a task without a video: nothing is charged, and all of its hold is free. `turn` is null if the caller has no turn,
 * such as its owner. A vendor that has begun is told to stop, unless the vendor itself failed.
 */
export async function failTask(
  task: Task,
  turn: number | null,
  failure: TaskFailure,
  message: string,
  trace: readonly Attempt[],
  ports: GatewayPorts,
): Promise<boolean> {
  const taskOutcome: TaskOutcome = {
    outcome: failure,
    status: failure === 'cancelled' ? 499 : failure === 'undelivered' ? 503 : 500,
    errorCode: failure === 'cancelled' ? 'cancelled' : failure === 'undelivered' ? 'service_unavailable' : 'server_error',
    errorText: message,
  }
  const stopVendor = failure !== 'vendor_failed'
  return await endTask(
    task,
    turn,
    taskOutcome,
    { state: 'failed', seconds: task.seconds, url: null, error: message, stopVendor },
    trace,
    ports,
  )
}
