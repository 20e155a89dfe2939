import { priceUsage, type Receipt } from '../../domain/price.ts'
import type { Attempt, Outcome, Settlement } from '../../domain/settlement.ts'
import { type Task, taskLeaseId } from '../../domain/task.ts'
import { mediaUsage, NO_USAGE } from '../../domain/usage.ts'
import { toStorableError, toStorableTrace } from '../storable.ts'

/** How a task ended, for its usage record. */
export interface TaskOutcome {
  outcome: Outcome
  status: number
  errorCode: string | null
  errorText: string | null
}

/** The usage of a video of this many seconds. */
export const videoUsage = (seconds: number) => mediaUsage({ video_second: BigInt(seconds) })

/** What a video of this many seconds costs at the price that was pinned for its task. */
export const receiptOf = ({ pin }: Task, seconds: number): Receipt =>
  priceUsage(videoUsage(seconds), pin.price, { name: pin.groupName, multiplierBp: pin.multiplierBp }, { exact: true })

/**
 * The record of a task's request, under that request's own id, so it can be written only once. `seconds` is null if nothing
 * is charged.
 */
export function settlementOf(
  task: Task,
  taskOutcome: TaskOutcome,
  seconds: number | null,
  trace: readonly Attempt[],
  nowMs: number,
): Settlement {
  return {
    id: task.requestId,
    at: task.createdAt,
    accountId: task.accountId,
    keyId: task.keyId,
    groupId: task.groupId,
    modelId: task.modelId,
    endpoint: task.endpoint,
    stream: false,
    ...taskOutcome,
    errorText: toStorableError(taskOutcome.errorText),
    finishReason: null,
    usage: seconds === null ? NO_USAGE : videoUsage(seconds),
    holdNano: task.holdNano,
    receipt: seconds === null ? null : receiptOf(task, seconds),
    trace: toStorableTrace(trace),
    ownMs: task.ownMs,
    firstTokenMs: null,
    tookMs: Math.max(0, nowMs - task.createdAt.getTime()),
    leaseId: taskLeaseId(task.id, task.accountId),
    budgets: task.budgets,
    budgetLeases: task.budgets.map((purse) => taskLeaseId(task.id, purse)),
    void: false,
    answer: null,
  }
}
