import type { Pool, PoolClient } from 'pg'
import { STORED_TEXTS } from '../../domain/stored-text.ts'
import type {
  CloseOutcome,
  CloseRequest,
  Closings,
  EmailPreferenceStore,
  Obstacle,
} from '../../services/account/account-ports.ts'
import type { PrismaClient } from '../generated/client.ts'
import { reclaimOnce } from '../ledger/book-entry.ts'
import { lockOpenAccount } from '../ledger/closed-account-guards.ts'
import { recall } from '../ledger/recall.ts'
import { notifyChange } from '../notify-change.ts'
import { inTransaction } from '../transaction.ts'
import { creditEntryId } from './accounts.ts'
import { createClosedAccountErasure } from './erase-closed-accounts.ts'

const DEFAULT_EMAIL_PREFERENCES = { lowBalance: true, receipts: true, alerts: true }

// Null means that it was not named and stays as it is.
const SET_PREFERENCES = `
  insert into mail_wish as m (account_id, low_balance, receipts, alerts)
  values ($1, coalesce($2, true), coalesce($3, true), coalesce($4, true))
  on conflict (account_id) do update
    set low_balance = coalesce($2, m.low_balance), receipts = coalesce($3, m.receipts), alerts = coalesce($4, m.alerts)`

/** The mails that an account wants. */
export function createEmailPreferences(pool: Pool, prisma: PrismaClient): EmailPreferenceStore {
  return {
    async find(accountId) {
      const row = await prisma.mailWish.findUnique({ where: { accountId } })
      if (!row) return DEFAULT_EMAIL_PREFERENCES
      const { lowBalance, receipts, alerts } = row
      return { lowBalance, receipts, alerts }
    },
    set: (accountId, { lowBalance, receipts, alerts }) =>
      inTransaction(pool, async (client) => {
        await lockOpenAccount(client, accountId)
        await client.query(SET_PREFERENCES, [accountId, lowBalance, receipts, alerts])
      }),
  }
}

interface PurseRow {
  balance: string
  leased: string
  owed: string
}

/** Payments that Stripe has accepted but not concluded. A page that nobody has paid yet does not count. $1 is the account. */
const IN_PROGRESS = `
  select from payment where account_id = $1 and (state = 'processing' or (source = 'auto' and state = 'open'))`

/**
 * Locks in the order in which sign-outs and new passwords, key changes, Stripe events, saved cards and automatic payments take
 * their locks, so that none of them and closing deadlock. Once the last lock is held, nobody can begin a payment.
 */
async function lockAll(client: PoolClient, accountId: string): Promise<void> {
  // This does not block rows that only refer to them: the token for a new mail, for example, is written with its own lock held.
  await client.query('select from app_user where account_id = $1 order by id for no key update', [accountId])
  for (const rows of [
    'user_session where user_id in (select id from app_user where account_id = $1) order by id',
    'api_key where account_id = $1 order by id',
    'payment where account_id = $1 order by id',
    'purse where id = $1',
    'account where id = $1',
    'saved_card where account_id = $1 order by method_id',
    'auto_top_up where account_id = $1',
  ])
    await client.query(`select from ${rows} for update`, [accountId])
}

async function findObstacle(client: PoolClient, { accountId, forfeitNano }: CloseRequest): Promise<Obstacle | null> {
  const { rows } = await client.query<PurseRow>(
    "select credit - spent as balance, leased, owed from purse where id = $1 and kind = 'account' for update",
    [accountId],
  )
  const purse = rows[0]
  if (!purse) throw new Error(`the account ${accountId} has no purse`)
  if (BigInt(purse.owed) > 0n) return 'owed'
  if (BigInt(purse.leased) > 0n) return 'busy'
  if ((await client.query(IN_PROGRESS, [accountId])).rowCount !== 0) return 'paying'
  return BigInt(purse.balance) === forfeitNano ? null : 'balance'
}

/** Tells every process, so that each forgets the account and its keys within a second. */
async function endAccess(client: PoolClient, { accountId, at }: CloseRequest): Promise<void> {
  await client.query(
    // Also cleared, so that a stored response still on its way to disk, of a request that has ended, is no longer written.
    `update account set suspended_at = $2, suspended_reason = 'closed', closed_at = $2, forget_since = clock_timestamp(), history_enabled = false,
            history_cleared_at = now(), name = 'Closed account' where id = $1`,
    [accountId, at],
  )
  const { rows } = await client.query<{ id: string }>(
    `update api_key set revoked_at = coalesce(revoked_at, $2), name = 'Closed', address_allow = '{}' where account_id = $1
     returning id`,
    [accountId, at],
  )
  await notifyChange(client, 'key', ...rows.map(({ id }) => id))
  await notifyChange(client, 'account', accountId)
}

// Where it was told of things, and what else is known about it. `history`, `stored_response` and tasks are deleted once nothing
// is locked (erase-closed-accounts.ts). Usage records, entries and payments stay, because the books are made of them.
const ERASED_TABLES = [
  'idempotency',
  'webhook_endpoint',
  'webhook_event',
  'mail_wish',
  'billing_account',
  'auto_top_up',
  'spending_alert',
  'notice',
  'group_account',
]

/** How its users signed in, and what they saved for themselves. */
const ERASED_USER_TABLES = ['user_session', 'one_time_token', 'identity', 'second_step', 'recovery_code', 'saved_view']

/** What has to outlive the account: that its address had its credit, and the customer that Stripe has to delete. */
async function recordTombstones(client: PoolClient, { accountId, creditMark, at }: CloseRequest): Promise<void> {
  await client.query(
    `insert into sign_up_credit (address_hmac, given_at) select $2, created_at from entry where id = $1 on conflict do nothing`,
    [creditEntryId(accountId), Buffer.from(creditMark)],
  )
  await client.query(
    `insert into left_customer (customer_id, left_at)
     select customer_id, $2::timestamptz from billing_account where account_id = $1 and customer_id is not null
     union select customer_id, $2::timestamptz from saved_card where account_id = $1
     union select customer_id, $2::timestamptz from payment where account_id = $1 and customer_id is not null
     on conflict do nothing`,
    [accountId, at],
  )
}

async function erase(client: PoolClient, { accountId, userId, passwordHash, at }: CloseRequest): Promise<void> {
  for (const table of ERASED_TABLES) await client.query(`delete from ${table} where account_id = $1`, [accountId])
  for (const table of ERASED_USER_TABLES)
    await client.query(
      `delete from ${table} where user_id in (select id from app_user where account_id = $1 union all select $2::text)`,
      [accountId, userId],
    )
  await client.query('delete from former_secret f using api_key k where k.id = f.key_id and k.account_id = $1', [accountId])
  // A row stays until Stripe has detached its card.
  await client.query('update saved_card set removed_at = coalesce(removed_at, $2) where account_id = $1', [accountId, at])
  // Stripe's documents name the payer.
  await client.query('update payment set invoice_url = null, receipt_url = null where account_id = $1', [accountId])
  await client.query(
    `update app_user set email = 'closed-' || id || '@closed.invalid', name = 'Closed account', password_hash = $3,
            email_verified_at = null, locale = 'en', session_epoch = session_epoch + 1
     where account_id = $1 or id = $2`,
    [accountId, userId, passwordHash],
  )
}

/** Runs in the caller's transaction. */
async function closeLocked(client: PoolClient, request: CloseRequest): Promise<CloseOutcome> {
  const { accountId, forfeitNano, at } = request
  await lockAll(client, accountId)
  const blocker = await findObstacle(client, request)
  if (blocker !== null) return { outcome: blocker }
  if (forfeitNano > 0n) {
    const entry = {
      id: `cls_${accountId}`,
      accountId,
      kind: 'deduction',
      amountNano: forfeitNano,
      reason: STORED_TEXTS.givenUp,
      actor: 'holder',
      at,
    }
    const booked = await reclaimOnce(client, entry)
    if (booked.outcome !== 'credited') throw new Error(`the balance of ${accountId} could not be given up: ${booked.outcome}`)
  }
  await endAccess(client, request)
  await recordTombstones(client, request)
  await erase(client, request)
  return { outcome: 'closed' }
}

/** Closes accounts. */
export function createClosings(pool: Pool): Closings {
  return {
    ...createClosedAccountErasure(pool),
    async facts(accountId) {
      const { rows } = await pool.query<{ balance: string; owed: string; paying: boolean; keys: string }>(
        `select p.credit - p.spent as balance, p.owed, exists (${IN_PROGRESS}) as paying,
                (select count(*) from api_key k where k.account_id = p.id and k.revoked_at is null and k.purpose = 'api') as keys
         from purse p where p.id = $1 and p.kind = 'account'`,
        [accountId],
      )
      const row = rows[0]
      return {
        balanceNano: BigInt(row?.balance ?? 0),
        owedNano: BigInt(row?.owed ?? 0),
        paying: row?.paying ?? false,
        keys: Number(row?.keys ?? 0),
      }
    },
    async close(request) {
      await recall(pool, request.accountId)
      return inTransaction(pool, (client) => closeLocked(client, request))
    },
  }
}
