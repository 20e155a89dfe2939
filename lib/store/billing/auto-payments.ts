import type { PoolClient } from 'pg'
import { planRetry, type TopUpFailure } from '../../domain/auto-top-up.ts'
import { cardName } from '../../domain/card-name.ts'
import type { NoticeEvent } from '../../services/alerts/notices-ports.ts'
import { putNotice } from '../notices.ts'

/** A payment's row, locked by the caller. */
export interface PaymentRow {
  id: string
  account_id: string
  state: string
  source: string
  amount_nano: string
  method_id: string | null
}

async function findCardName(client: PoolClient, methodId: string | null): Promise<string | null> {
  const { rows } = await client.query<{ brand: string; last4: string }>(
    'select brand, last4 from saved_card where method_id = $1',
    [methodId],
  )
  return rows[0] ? cardName(rows[0]) : null
}

/** Handles the consequences of a credited payment: tells the holder, and forgets earlier failures. */
export async function onPaymentCredited(client: PoolClient, payment: PaymentRow, at: Date): Promise<void> {
  const automatic = payment.source === 'auto'
  if (automatic)
    await client.query('update auto_top_up set failures = 0, retry_at = null where account_id = $1', [payment.account_id])
  await putNotice(client, {
    id: `paid_${payment.id}`,
    accountId: payment.account_id,
    at,
    kind: 'top_up.succeeded',
    paymentId: payment.id,
    amountNano: BigInt(payment.amount_nano),
    automatic,
    card: await findCardName(client, payment.method_id),
  })
}

type OffNotice = Extract<NoticeEvent, { kind: 'auto_top_up.off' }>

/** Switches automatic top-up off and tells the holder, unless it is off already. Runs in the caller's transaction. */
export async function disableAutoTopUp(client: PoolClient, notice: Omit<OffNotice, 'kind'>): Promise<void> {
  const { rowCount } = await client.query(
    'update auto_top_up set enabled = false, off_reason = $2, failures = 0, retry_at = null where enabled and account_id = $1',
    [notice.accountId, notice.reason],
  )
  if (rowCount === 1) await putNotice(client, { ...notice, kind: 'auto_top_up.off' })
}

/**
 * Switches automatic top-up off if a payment that it made is refunded, or the holder disputes a payment: otherwise it would
 * charge the same card again. Runs in the caller's transaction.
 */
export async function onPaymentReclaimed(
  client: PoolClient,
  payment: PaymentRow,
  { kind, id, amountNano, at }: { kind: 'refund' | 'dispute'; id: string; amountNano: bigint; at: Date },
): Promise<void> {
  if (kind === 'refund' && payment.source !== 'auto') return
  const reason = kind === 'refund' ? 'refunded' : 'disputed'
  const card = await findCardName(client, payment.method_id)
  await disableAutoTopUp(client, { id: `off_${id}`, accountId: payment.account_id, at, reason, card, amountNano })
}

interface Failure {
  reason: TopUpFailure
  intentId: string | null
  at: Date
}

/** Sets the time of the next try, or switches off. A card that was replaced says nothing about the account's current one. */
async function scheduleRetry(client: PoolClient, payment: PaymentRow, { reason, at }: Failure): Promise<number | null> {
  const { rows } = await client.query<{ failures: number; enabled: boolean; same: boolean }>(
    `select a.failures, a.enabled,
       exists (select from saved_card c where c.account_id = a.account_id and c.method_id = $2 and c.removed_at is null) as same
     from auto_top_up a where a.account_id = $1 for update of a`,
    [payment.account_id, payment.method_id],
  )
  const current = rows[0]
  if (!current?.enabled) return null
  if (!current.same) return 0
  const { failures, waitMs } = planRetry(reason, current.failures)
  await client.query('update auto_top_up set failures = $2, retry_at = $3, enabled = $4, off_reason = $5 where account_id = $1', [
    payment.account_id,
    failures,
    waitMs === null ? null : new Date(at.getTime() + waitMs),
    waitMs !== null,
    waitMs === null ? reason : null,
  ])
  return waitMs
}

type FailureNotice = Extract<NoticeEvent, { kind: 'top_up.failed' }>

/** Records that the holder has to be told of a failed payment. */
export const notifyFailure = (
  client: PoolClient,
  payment: Pick<PaymentRow, 'id' | 'account_id' | 'amount_nano'>,
  at: Date,
  details: Pick<FailureNotice, 'automatic' | 'card' | 'reason' | 'off' | 'waitMs'>,
): Promise<void> =>
  putNotice(client, {
    id: `failed_${payment.id}`,
    accountId: payment.account_id,
    at,
    kind: 'top_up.failed',
    paymentId: payment.id,
    amountNano: BigInt(payment.amount_nano),
    ...details,
  })

/**
 * Ends an automatic payment that failed, and handles the consequences, once, whoever reports it first. Returns false if it had
 * already ended. Runs in the caller's transaction, which has locked the payment.
 */
export async function failAutoPayment(client: PoolClient, payment: PaymentRow, failure: Failure): Promise<boolean> {
  const { rowCount } = await client.query(
    `update payment set state = 'failed', failure = $2, failed_at = $3, intent_id = coalesce(intent_id, $4)
     where id = $1 and state in ('open', 'processing')`,
    [payment.id, failure.reason, failure.at, failure.intentId],
  )
  if (rowCount !== 1) return false
  const waitMs = await scheduleRetry(client, payment, failure)
  const card = await findCardName(client, payment.method_id)
  await notifyFailure(client, payment, failure.at, {
    automatic: true,
    card,
    reason: failure.reason,
    off: waitMs === null,
    waitMs,
  })
  return true
}
