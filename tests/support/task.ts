import { randomBytes } from 'node:crypto'
import { ID_RANDOM_BYTES, newId } from '#lib/domain/ids'
import { nano } from '#lib/domain/money'
import type { NewTask, Task, TaskEnd } from '#lib/domain/task'
import { settlementOf } from '#lib/gateway/tasks/settlement'
import type { SettlementRow } from '#lib/ledger/ports'
import { settlementRow } from '#lib/ledger/settlement-row'
import type { Hold } from '#lib/ledger/wallet'
import { newRequestId } from './ledger.ts'

/** A video of five seconds at 20 nano-dollars each: 100 in total. */
export function newVideoTask(accountId: string, hold: Hold, overrides: Partial<NewTask> = {}): NewTask {
  const createdAt = new Date()
  return {
    id: newId('task', createdAt.getTime(), randomBytes(ID_RANDOM_BYTES)),
    requestId: newRequestId(),
    accountId,
    keyId: 'key_test',
    groupId: 'grp_default',
    modelId: 'test/video',
    endpoint: 'videos.generations',
    ask: { prompt: 'x', seconds: 5 },
    asked: null,
    pin: {
      price: {
        id: 'prc_test',
        from: createdAt,
        rates: { video_second: nano(20_000_000n) },
        vendorRates: { video_second: nano(1_000_000n) },
      },
      groupName: 'default',
      multiplierBp: 10_000n,
    },
    holdNano: hold.amount,
    keepHistory: false,
    ownMs: 1,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 86_400_000),
    ...overrides,
  }
}

export const COMPLETED_END: TaskEnd = { state: 'completed', seconds: 5, url: 'http://x/files/y', error: null, stopVendor: false }
export const FAILED_END: TaskEnd = { state: 'failed', seconds: 5, url: null, error: 'no', stopVendor: false }

/** The settlement row of a task that ends in this way. */
export const settlementRowOfEnd = (task: Task, end: TaskEnd): SettlementRow =>
  settlementRow(
    settlementOf(
      task,
      { outcome: end.state === 'failed' ? 'vendor_failed' : 'finished', status: 200, errorCode: null, errorText: null },
      end.state === 'completed' ? end.seconds : null,
      [],
      Date.now(),
    ),
  )
