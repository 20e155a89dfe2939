import type { PoolClient } from 'pg'
import { afterFailure, type TopUpFailure } from '../../domain/auto-top-up.ts'
import { cardName } from '../../domain/card-name.ts'
import type { NoticeEvent } from '../../services/alerts/notices-ports.ts'
import { putNotice } from '../notices.ts'

/** A payment as its row has it, locked by the caller. */
export interface PaymentRow {
  id: string
  account_id: string
  state: string
  source: string
  amount_nano: string
  method_id: string | null
}

async function nameOfCard(client: PoolClient, methodId: string | null): Promise<string | null> {
  const { rows } = await client.query<{ brand: string; last4: string }>(
    'select brand, last4 from saved_card where method_id = $1',
    [methodId],
  )
  return rows[0] ? cardName(rows[0]) : null
}

/** What follows from a payment that was credited: its holder is told, and earlier failures are forgotten. */
export async function afterCredit(client: PoolClient, payment: PaymentRow, at: Date): Promise<void> {
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
    card: await nameOfCard(client, payment.method_id),
  })
}

/**
 * Switches automatic top-up off where a payment is taken back that it made, or that its holder disputes: it would fetch the
 * money again with the same card. Within a transaction of the caller.
 */
export async function afterReclaim(client: PoolClient, payment: PaymentRow, kind: 'refund' | 'dispute'): Promise<void> {
  if (kind === 'refund' && payment.source !== 'auto') return
  await client.query(
    'update auto_top_up set enabled = false, off_reason = $2, failures = 0, retry_at = null where enabled and account_id = $1',
    [payment.account_id, kind === 'refund' ? 'refunded' : 'disputed'],
  )
}

interface Failure {
  reason: TopUpFailure
  intentId: string | null
  at: Date
}

/** Waits, or switches off. A card that is not the account's any more says nothing of the one that is. */
async function backOff(client: PoolClient, payment: PaymentRow, { reason, at }: Failure): Promise<number | null> {
  const { rows } = await client.query<{ failures: number; enabled: boolean; same: boolean }>(
    `select a.failures, a.enabled,
       exists (select from saved_card c where c.account_id = a.account_id and c.method_id = $2 and c.removed_at is null) as same
     from auto_top_up a where a.account_id = $1 for update of a`,
    [payment.account_id, payment.method_id],
  )
  const now = rows[0]
  if (!now?.enabled) return null
  if (!now.same) return 0
  const { failures, waitMs } = afterFailure(reason, now.failures)
  await client.query('update auto_top_up set failures = $2, retry_at = $3, enabled = $4, off_reason = $5 where account_id = $1', [
    payment.account_id,
    failures,
    waitMs === null ? null : new Date(at.getTime() + waitMs),
    waitMs !== null,
    waitMs === null ? reason : null,
  ])
  return waitMs
}

type Failed = Extract<NoticeEvent, { kind: 'top_up.failed' }>

/** Writes down that the holder has to be told of a payment that failed. */
export const tellFailure = (
  client: PoolClient,
  payment: Pick<PaymentRow, 'id' | 'account_id' | 'amount_nano'>,
  at: Date,
  how: Pick<Failed, 'automatic' | 'card' | 'reason' | 'off' | 'waitMs'>,
): Promise<void> =>
  putNotice(client, {
    id: `failed_${payment.id}`,
    accountId: payment.account_id,
    at,
    kind: 'top_up.failed',
    paymentId: payment.id,
    amountNano: BigInt(payment.amount_nano),
    ...how,
  })

/**
 * Ends an automatic payment that came to nothing, and says what follows from it: once, whoever tells of it first. False
 * where it had ended before. Within a transaction of the caller, who has locked the payment.
 */
export async function failAutoPayment(client: PoolClient, payment: PaymentRow, failure: Failure): Promise<boolean> {
  const { rowCount } = await client.query(
    `update payment set state = 'failed', failure = $2, failed_at = $3, intent_id = coalesce(intent_id, $4)
     where id = $1 and state in ('open', 'processing')`,
    [payment.id, failure.reason, failure.at, failure.intentId],
  )
  if (rowCount !== 1) return false
  const waitMs = await backOff(client, payment, failure)
  const card = await nameOfCard(client, payment.method_id)
  await tellFailure(client, payment, failure.at, { automatic: true, card, reason: failure.reason, off: waitMs === null, waitMs })
  return true
}
