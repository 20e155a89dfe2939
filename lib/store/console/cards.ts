import type { Pool, PoolClient } from 'pg'
import { cardName } from '../../domain/card-name.ts'
import type { Cards, SavedCard } from '../../services/billing/card-ports.ts'
import { disableAutoTopUp } from '../billing/auto-payments.ts'
import { inTransaction } from '../transaction.ts'

interface Row {
  method_id: string
  customer_id: string
  brand: string
  last4: string
  exp_month: number
  exp_year: number
  saved_at: Date
}

const CLEANUP_ROWS = 20

const cardOf = (row: Row): SavedCard => ({
  methodId: row.method_id,
  customerId: row.customer_id,
  brand: row.brand,
  last4: row.last4,
  expMonth: row.exp_month,
  expYear: row.exp_year,
})

const cardDetailsOf = ({ brand, last4, expMonth, expYear }: Omit<SavedCard, 'methodId' | 'customerId'>) => [
  brand,
  last4,
  expMonth,
  expYear,
]

async function insertCard(client: PoolClient, accountId: string, card: SavedCard, at: Date, removed: boolean): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into saved_card (method_id, account_id, customer_id, brand, last4, exp_month, exp_year, saved_at, removed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (method_id) do nothing`,
    [card.methodId, accountId, card.customerId, ...cardDetailsOf(card), at, removed ? at : null],
  )
  return rowCount === 1
}

/** The account is locked, so that of two cards that arrive at once one is the newer. */
async function save(client: PoolClient, accountId: string, card: SavedCard, at: Date) {
  const account = await client.query<{ closed: boolean }>(
    'select closed_at is not null as closed from account where id = $1 for update',
    [accountId],
  )
  if (!account.rows[0]) return 'no_account' as const
  // Kept only to be detached.
  if (account.rows[0].closed) {
    await insertCard(client, accountId, card, at, true)
    return 'stale' as const
  }
  const { rows } = await client.query<Row>('select * from saved_card where account_id = $1 and removed_at is null', [accountId])
  const current = rows[0]
  if (current?.method_id === card.methodId) return 'saved' as const
  if (current && current.saved_at > at) {
    await insertCard(client, accountId, card, at, true)
    return 'stale' as const
  }
  await client.query('update saved_card set removed_at = $2 where account_id = $1 and removed_at is null', [accountId, at])
  if (!(await insertCard(client, accountId, card, at, false))) throw new Error(`the card ${card.methodId} cannot be saved twice`)
  await client.query('update auto_top_up set failures = 0, retry_at = null where account_id = $1', [accountId])
  return 'saved' as const
}

const DISABLE_AUTO_TOP_UP = `update auto_top_up set enabled = false, off_reason = 'card_removed', failures = 0, retry_at = null
  where enabled and account_id = $1`

/** Cards that accounts pay with when nobody is present. */
export function createCards(pool: Pool): Cards {
  return {
    async find(accountId) {
      const { rows } = await pool.query<Row>('select * from saved_card where account_id = $1 and removed_at is null', [accountId])
      return rows[0] ? cardOf(rows[0]) : null
    },
    async save(accountId, card, at) {
      // It was removed and is not detached yet, so a late event must not bring it back.
      const { rowCount } = await pool.query('select from saved_card where method_id = $1 and removed_at is not null', [
        card.methodId,
      ])
      return rowCount === 0 ? inTransaction(pool, (client) => save(client, accountId, card, at)) : 'stale'
    },
    remove: (accountId, at) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(
          'update saved_card set removed_at = $2 where account_id = $1 and removed_at is null',
          [accountId, at],
        )
        if (rowCount === 1) await client.query(DISABLE_AUTO_TOP_UP, [accountId])
        return rowCount === 1
      }),
    removeGone: (target, at) =>
      inTransaction(pool, async (client) => {
        const [column, id] = 'methodId' in target ? ['method_id', target.methodId] : ['customer_id', target.customerId]
        const { rows } = await client.query<
          Pick<Row, 'method_id' | 'brand' | 'last4'> & { account_id: string; removed_at: Date | null }
        >(`delete from saved_card where ${column} = $1 returning account_id, method_id, brand, last4, removed_at`, [id])
        for (const { account_id: accountId, method_id: methodId, removed_at, ...card } of rows) {
          // A card that was replaced, or that its holder removed, is not missed.
          if (removed_at !== null) continue
          const notice = { id: `off_${methodId}`, accountId, at, card: cardName(card), amountNano: null }
          await disableAutoTopUp(client, { ...notice, reason: 'card_removed' })
        }
        if ('methodId' in target) return rows.length > 0
        const known = await client.query('update billing_account set customer_id = null where customer_id = $1', [id])
        return rows.length > 0 || known.rowCount !== 0
      }),
    async updateDetails(methodId, details) {
      const { rowCount } = await pool.query(
        'update saved_card set brand = $2, last4 = $3, exp_month = $4, exp_year = $5 where method_id = $1',
        [methodId, ...cardDetailsOf(details)],
      )
      return rowCount === 1
    },
    async listToDetach() {
      const { rows } = await pool.query<{ method_id: string }>(
        'select method_id from saved_card where removed_at is not null order by removed_at limit $1',
        [CLEANUP_ROWS],
      )
      return rows.map((row) => row.method_id)
    },
    async listCustomersToDelete() {
      const { rows } = await pool.query<{ customer_id: string }>(
        'select customer_id from left_customer order by left_at limit $1',
        [CLEANUP_ROWS],
      )
      return rows.map((row) => row.customer_id)
    },
    async recordCustomerDeleted(customerId) {
      await pool.query('delete from left_customer where customer_id = $1', [customerId])
    },
    async recordDetached(methodId) {
      await pool.query('delete from saved_card where method_id = $1 and removed_at is not null', [methodId])
    },
  }
}
