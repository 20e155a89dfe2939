import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

const RECALL_TRIES = 8
const RECALL_MS = 60

/** Asks gateways for the idle money that they hold of an account. What running requests need stays with them. */
export async function recall(pool: Pool, accountId: string): Promise<void> {
  for (let tries = 0; tries < RECALL_TRIES; tries++) {
    const { rowCount } = await pool.query(
      'update purse set recall_wanted_at = clock_timestamp() where id = $1 and leased > 0 returning id',
      [accountId],
    )
    if (rowCount === 0) return
    await pool.query("select pg_notify('tollgate_recall', $1)", [accountId])
    await sleep(RECALL_MS)
  }
}
