import type { Pool } from 'pg'
import { PLATFORM_ACCOUNT_ID } from '../services/alerts/alert-ports.ts'
import type { Holders } from '../services/alerts/notices-ports.ts'
import type { Recipient } from '../services/mail/mail-ports.ts'

/** Finds who is told about an account. */
export function createHolders(pool: Pool): Holders {
  return {
    async find(accountId) {
      const { rows } = await pool.query<Recipient>(
        `select u.email, u.name, u.locale from app_user u join account a on a.id = u.account_id
          where (a.id = $1 or ($1 = $2 and u.role = 'owner')) and a.closed_at is null
          order by u.created_at, u.id limit 1`,
        [accountId, PLATFORM_ACCOUNT_ID],
      )
      return rows[0] ?? null
    },
    async localeOf(email) {
      const { rows } = await pool.query<Pick<Recipient, 'locale'>>('select locale from app_user where email = $1', [email])
      return rows[0]?.locale ?? 'en'
    },
  }
}
