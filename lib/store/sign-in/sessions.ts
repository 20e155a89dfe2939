import type { Pool } from 'pg'
import type { SessionRecord, SessionUser, UserSessions } from '../../services/sign-in/sign-in-ports.ts'
import { endPlaygroundKeys } from '../console/playground.ts'
import { lockOpenUser } from '../ledger/closed-account-guards.ts'
import { inTransaction } from '../transaction.ts'

const OPEN = `
  with dropped as (delete from user_session where user_id = $2 and expires_at <= $3)
  insert into user_session (id, user_id, created_at, last_seen_at, expires_at, address, browser, system)
  values ($1, $2, $3, date_trunc('minute', $3::timestamptz), $4, $5, $6, $7)`

const FIND = `
  select s.id as "sessionId", u.id as "userId", u.account_id as "accountId", u.email, u.name, u.role,
         u.session_epoch as "sessionEpoch", u.locale, s.last_seen_at < date_trunc('minute', $2::timestamptz) as idle
  from user_session s join app_user u on u.id = s.user_id
  where s.id = $1 and s.expires_at > $2`

const LIST = `
  select id, address, browser, system, created_at as "createdAt", last_seen_at as "lastSeenAt"
  from user_session where user_id = $1 and expires_at > $2
  order by last_seen_at desc, created_at desc, id limit 200`

/** Rows of one sweep. A user who signs in waits for it if their sessions are among them. */
const SWEEP_ROWS = 1000

// A transaction that has one of them locked, for example to close an account, has others locked too, so this does not wait for
// it.
const SWEEP = `
  with ended as (select id from user_session where expires_at < now() limit ${SWEEP_ROWS} for update skip locked)
  delete from user_session s using ended where s.id = ended.id`

/** Removes expired sessions, with the addresses that they were opened from. */
export async function sweepSessions(pool: Pick<Pool, 'query'>): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(SWEEP)
    if ((rowCount ?? 0) < SWEEP_ROWS) return
  }
}

/** The sessions of users. */
export function createUserSessions(pool: Pool): UserSessions {
  return {
    open: ({ id, userId, at, expiresAt, address, browser, system }) =>
      inTransaction(pool, async (client) => {
        await lockOpenUser(client, userId)
        await client.query(OPEN, [id, userId, at, expiresAt, address, browser, system])
      }),
    async find(sessionId, at) {
      const { rows } = await pool.query<SessionUser & { idle: boolean }>(FIND, [sessionId, at])
      const [row] = rows
      if (!row) return null
      const { idle, ...user } = row
      if (idle)
        await pool.query(
          `update user_session set last_seen_at = date_trunc('minute', $2::timestamptz)
           where id = $1 and last_seen_at < date_trunc('minute', $2::timestamptz)`,
          [sessionId, at],
        )
      return user
    },
    async list(userId, at) {
      return (await pool.query<SessionRecord>(LIST, [userId, at])).rows
    },
    end: (userId, sessionId, at) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query('delete from user_session where id = $2 and user_id = $1', [userId, sessionId])
        if (rowCount === 1) await endPlaygroundKeys(client, userId, at)
        return rowCount === 1
      }),
    endOthers: (userId, keptId, at) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query('delete from user_session where user_id = $1 and id <> $2', [userId, keptId])
        await endPlaygroundKeys(client, userId, at)
        return rowCount ?? 0
      }),
  }
}
