import type { Pool, PoolClient } from 'pg'
import { minBigInt } from '../../domain/money.ts'
import type { CreditOutcome, DeductOutcome, NewCredit } from '../../services/billing/purse-ports.ts'
import { notifyChange } from '../notify-change.ts'

/** The reason for suspending an account that owes money. That suspension ends with the debt; others do not. */
export const DEBT_REASON = 'debt'

/** The lifetime credit of an account is a bigint. */
export const MAX_CREDIT_NANO = 2n ** 63n - 1n

/** Whether a booking failed because its account cannot hold that much credit (22003: the sum does not fit into a bigint). */
export const isCreditOverflow = (error: unknown): boolean => (error as { code?: unknown }).code === '22003'

interface PurseRow {
  credit: string
  spent: string
  leased: string
  owed: string
}

/** An entry about to be booked. `amountNano` is above zero; the booking function determines the direction. */
export interface NewEntry extends Omit<NewCredit, 'kind'> {
  kind: string
  paymentId?: string
}

async function lockPurse(client: PoolClient, accountId: string): Promise<PurseRow | null> {
  // Money that somebody was told about must survive a crash, whatever the server's default is.
  await client.query('set local synchronous_commit = on')
  const { rows } = await client.query<PurseRow>(
    "select credit, spent, leased, owed from purse where id = $1 and kind = 'account' for update",
    [accountId],
  )
  return rows[0] ?? null
}

/** Whether this much more could be credited to an account. */
export async function canCredit(pool: Pool, accountId: string, amountNano: bigint): Promise<boolean> {
  const { rowCount } = await pool.query("select from purse where id = $1 and kind = 'account' and credit <= $2", [
    accountId,
    MAX_CREDIT_NANO - amountNano,
  ])
  return rowCount === 1
}

async function insertEntry(client: PoolClient, entry: NewEntry, amount: bigint, owed: bigint): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into entry (id, account_id, kind, amount_nano, owed_nano, reason, actor, created_at, payment_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (id) do nothing`,
    [entry.id, entry.accountId, entry.kind, amount, owed, entry.reason, entry.actor, entry.at, entry.paymentId ?? null],
  )
  return rowCount === 1
}

/** The outcome if an entry with this id already exists: the same entry booked again, or a mistake. */
async function resolveRepeat(client: PoolClient, entry: NewEntry, amount: bigint): Promise<CreditOutcome> {
  const { rows } = await client.query<{ same: boolean; owed_nano: string }>(
    'select account_id = $2 and kind = $3 and amount_nano = $4 as same, owed_nano from entry where id = $1',
    [entry.id, entry.accountId, entry.kind, amount],
  )
  const found = rows[0]
  return found?.same ? { outcome: 'repeated', paidOwedNano: -BigInt(found.owed_nano) } : { outcome: 'conflict' }
}

async function suspendForDebt(client: PoolClient, accountId: string, at: Date): Promise<void> {
  const { rowCount } = await client.query(
    'update account set suspended_at = $2, suspended_reason = $3 where id = $1 and suspended_at is null',
    [accountId, at, DEBT_REASON],
  )
  if (rowCount === 1) await notifyChange(client, 'account', accountId)
}

/** Ends a suspension that was due to a debt, now paid. */
async function endDebtSuspension(client: PoolClient, accountId: string): Promise<void> {
  const { rowCount } = await client.query(
    'update account set suspended_at = null, suspended_reason = null where id = $1 and suspended_reason = $2',
    [accountId, DEBT_REASON],
  )
  if (rowCount === 1) await notifyChange(client, 'account', accountId)
}

/** Books credit once. It pays any debt first. Runs in the caller's transaction. */
export async function creditOnce(client: PoolClient, entry: NewEntry): Promise<CreditOutcome> {
  const purse = await lockPurse(client, entry.accountId)
  if (!purse) return { outcome: 'no_account' }
  const owed = BigInt(purse.owed)
  const paid = minBigInt(owed, entry.amountNano)
  if (!(await insertEntry(client, entry, entry.amountNano, -paid))) return resolveRepeat(client, entry, entry.amountNano)
  await client.query('update purse set credit = credit + $2, owed = owed - $3 where id = $1', [
    entry.accountId,
    entry.amountNano - paid,
    paid,
  ])
  if (paid > 0n && paid === owed) await endDebtSuspension(client, entry.accountId)
  return { outcome: 'credited', paidOwedNano: paid }
}

/**
 * Takes money back once. It takes what is free now; the rest becomes a debt and suspends the account. Runs in the caller's
 * transaction.
 */
export async function reclaimOnce(client: PoolClient, entry: NewEntry): Promise<CreditOutcome> {
  const purse = await lockPurse(client, entry.accountId)
  if (!purse) return { outcome: 'no_account' }
  const free = BigInt(purse.credit) - BigInt(purse.spent) - BigInt(purse.leased)
  const taken = minBigInt(free, entry.amountNano)
  const rest = entry.amountNano - taken
  if (!(await insertEntry(client, entry, -entry.amountNano, rest))) return resolveRepeat(client, entry, -entry.amountNano)
  await client.query('update purse set credit = credit - $2, owed = owed + $3 where id = $1', [entry.accountId, taken, rest])
  if (rest > 0n) await suspendForDebt(client, entry.accountId, entry.at)
  return { outcome: 'credited', paidOwedNano: 0n }
}

/**
 * Whether an entry is new rather than a repeat. Throws for an outcome that must not be committed: everything is rolled back, and
 * whoever reported the payment reports it again.
 */
export function assertBooked(result: CreditOutcome, entry: NewEntry): boolean {
  if (result.outcome === 'credited') return true
  if (result.outcome === 'repeated') return false
  throw new Error(`the entry ${entry.id} of account ${entry.accountId} cannot be booked: ${result.outcome}`)
}

/** Deducts free money once, all of it or nothing, and never makes a debt. Runs in the caller's transaction. */
export async function deductOnce(client: PoolClient, entry: NewEntry): Promise<DeductOutcome> {
  const purse = await lockPurse(client, entry.accountId)
  if (!purse) return { outcome: 'no_account' }
  const known = await client.query('select from entry where id = $1', [entry.id])
  // A repeat is reported as such, even if no money is free any more.
  if (known.rowCount !== 0) return resolveRepeat(client, entry, -entry.amountNano)
  const freeNano = BigInt(purse.credit) - BigInt(purse.spent) - BigInt(purse.leased)
  if (freeNano < entry.amountNano) return { outcome: 'not_free', freeNano }
  if (!(await insertEntry(client, entry, -entry.amountNano, 0n))) return resolveRepeat(client, entry, -entry.amountNano)
  await client.query('update purse set credit = credit - $2 where id = $1', [entry.accountId, entry.amountNano])
  return { outcome: 'deducted' }
}

/** Pays a debt from money that has become free since. Runs in the caller's transaction. */
export async function collectOnce(client: PoolClient, entry: Omit<NewEntry, 'amountNano' | 'kind'>): Promise<boolean> {
  const purse = await lockPurse(client, entry.accountId)
  if (!purse) return false
  const owed = BigInt(purse.owed)
  const paid = minBigInt(BigInt(purse.credit) - BigInt(purse.spent) - BigInt(purse.leased), owed)
  if (paid <= 0n) return false
  if (!(await insertEntry(client, { ...entry, kind: 'collection', amountNano: 0n }, 0n, -paid))) return false
  await client.query('update purse set credit = credit - $2, owed = owed - $2 where id = $1', [entry.accountId, paid])
  if (paid === owed) await endDebtSuspension(client, entry.accountId)
  return true
}
