import type { Attempt } from '../../domain/settlement.ts'
import type { Task, TaskEnd } from '../../domain/task.ts'
import { countTraffic } from '../count-traffic.ts'
import type { GatewayPorts } from '../ports.ts'
import { saidJson } from '../said-json.ts'
import { placeOf } from './deployment.ts'
import { settlementOf, type TaskOutcome } from './settlement.ts'

/** Does everything that has to be done when a task ends. False if somebody else ended it, or if its turn is another's. */
async function end(
  task: Task,
  turn: number | null,
  ended: TaskOutcome,
  how: TaskEnd,
  trace: readonly Attempt[],
  ports: GatewayPorts,
): Promise<boolean> {
  const charged = how.state === 'completed' ? how.seconds : null
  const settlement = settlementOf(task, ended, charged, trace, ports.now())
  const settled = await ports.tasks.finish(task, turn, how, settlement)
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
  const { deployment = null } = placeOf(task.modelId, task.deploymentId ?? trace.at(-1)?.deployment ?? null, ports) ?? {}
  countTraffic({ item: settlement, settled, calls: { deployment, startsMs: [], endMs: null }, headers: null }, ports)
  if (task.keepHistory) {
    const answer = {
      status: how.state,
      duration: how.seconds,
      ...(how.url === null ? {} : { video_url: how.url }),
      ...(how.error === null ? {} : { error: how.error }),
    }
    const asked = JSON.stringify(task.asked)
    const said = () => saidJson(asked, { id: task.id, object: 'video.generation', ...answer })
    ports.history.keep(task.requestId, task.createdAt, task.accountId, asked.length, said)
  }
  return true
}

/** Ends a task with its video: charges what it costs, and frees the rest of its hold. */
export async function complete(
  task: Task,
  url: string,
  seconds: number,
  trace: readonly Attempt[],
  ports: GatewayPorts,
): Promise<boolean> {
  const ended: TaskOutcome = { outcome: 'finished', status: 200, errorCode: null, errorText: null }
  const how: TaskEnd = { state: 'completed', seconds, url, error: null, stopVendor: false }
  return await end(task, task.turn, ended, how, trace, ports)
}

/** Why a task has no video. `cancelled`: its owner cancelled it. */
export type WhyFailed = 'vendor_failed' | 'timed_out' | 'cancelled' | 'undelivered'

/**
 * Ends a task without a video: nothing is charged, and all of its hold is free. `turn` is null if the caller has no turn,
 * such as its owner. A vendor that has begun is told to stop, unless the vendor itself failed.
 */
export async function fail(
  task: Task,
  turn: number | null,
  why: WhyFailed,
  message: string,
  trace: readonly Attempt[],
  ports: GatewayPorts,
): Promise<boolean> {
  const ended: TaskOutcome = {
    outcome: why,
    status: why === 'cancelled' ? 499 : why === 'undelivered' ? 503 : 500,
    errorCode: why === 'cancelled' ? 'cancelled' : why === 'undelivered' ? 'service_unavailable' : 'server_error',
    errorText: message,
  }
  const stopVendor = why !== 'vendor_failed'
  return await end(
    task,
    turn,
    ended,
    { state: 'failed', seconds: task.seconds, url: null, error: message, stopVendor },
    trace,
    ports,
  )
}
