import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

const RECALL_TRIES = 8
const RECALL_MS = 60

/**
 * Asks gateways to return the idle money of the purses that `findLeased` names, and asks again while it names any, up to a limit.
 * What running requests need stays with them.
 */
export async function recallWhile(pool: Pool, findLeased: () => Promise<string[]>): Promise<void> {
  for (let tries = 0; tries < RECALL_TRIES; tries++) {
    const ids = await findLeased()
    if (ids.length === 0) return
    await pool.query('update purse set recall_wanted_at = clock_timestamp() where id = any ($1)', [ids])
    await pool.query("select pg_notify('tollgate_recall', id) from unnest($1::text[]) id", [ids])
    await sleep(RECALL_MS)
  }
}

/** Asks gateways to return the idle money of an account. */
export const recall = (pool: Pool, accountId: string): Promise<void> =>
  recallWhile(pool, async () => {
    const { rows } = await pool.query<{ id: string }>('select id from purse where id = $1 and leased > 0', [accountId])
    return rows.map(({ id }) => id)
  })
