import type { Pool } from 'pg'
import { HOUSE } from '../services/alerts/alert-ports.ts'
import type { Holders } from '../services/alerts/notices-ports.ts'
import type { Reader } from '../services/mail/mail-ports.ts'

/** Finds who is told about an account. */
export function createHolders(pool: Pool): Holders {
  return {
    async of(accountId) {
      const { rows } = await pool.query<Reader>(
        `select u.email, u.name, u.locale from app_user u join account a on a.id = u.account_id
          where (a.id = $1 or ($1 = $2 and u.role = 'owner')) and a.closed_at is null
          order by u.created_at, u.id limit 1`,
        [accountId, HOUSE],
      )
      return rows[0] ?? null
    },
    async localeOf(email) {
      const { rows } = await pool.query<Pick<Reader, 'locale'>>('select locale from app_user where email = $1', [email])
      return rows[0]?.locale ?? 'en'
    },
  }
}
