import type { Pool } from 'pg'
import type { ViewRecord, Views } from '../../services/history/history-ports.ts'
import { lockOpenUser } from '../ledger/closed-account-guards.ts'
import { inTransaction } from '../transaction.ts'

/** The views that people saved. */
export function createViews(pool: Pool): Views {
  return {
    async list(userId) {
      const { rows } = await pool.query<ViewRecord>(
        'select id, name, query from saved_view where user_id = $1 order by lower(name), id',
        [userId],
      )
      return rows
    },
    create: (userId, { id, name, query, at }, maxViews) =>
      inTransaction(pool, async (client) => {
        // Of two that are created at once, each counts the other.
        await lockOpenUser(client, userId)
        const { rowCount } = await client.query(
          `insert into saved_view (id, user_id, name, query, created_at)
           select $1, $2, $3, $4, $5 where (select count(*) from saved_view where user_id = $2) < $6`,
          [id, userId, name, query, at, maxViews],
        )
        return rowCount === 1
      }),
    async change(userId, { id, name, query }) {
      const { rowCount } = await pool.query('update saved_view set name = $3, query = $4 where id = $2 and user_id = $1', [
        userId,
        id,
        name,
        query,
      ])
      return rowCount === 1
    },
    async remove(userId, viewId) {
      const { rowCount } = await pool.query('delete from saved_view where id = $2 and user_id = $1', [userId, viewId])
      return rowCount === 1
    },
  }
}
