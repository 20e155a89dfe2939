import type { Pool } from 'pg'
import type { Closings } from '../../services/account/account-ports.ts'
import { EVER } from '../usage-spans.ts'
import { deleteSaid, madePages } from './histories.ts'

/** How many accounts one round handles. They are picked at random, because the files of some may stay undeletable for long. */
const ACCOUNTS = 100
const TASKS = 200

/** What began before an account was closed may be committed this much later. What begins later is refused. */
const LATE = "interval '5 minutes'"

// In the order of the index by account and time, from the previous page to the last request whose files are gone. From the
// start, each page would pass over everything deleted before it, which stays in the index until a vacuum.
const DELETE = `
  delete from history where account_id = $1 and at >= $4 and at <= $2 and (at, request_id) <= ($2, $3)`

const VIDEOS = `
  select id, url from task where account_id = $1 and finished_at is not null and not stop_vendor order by id limit ${TASKS}`

type Remove = Parameters<Closings['forget']>[1]

/** Returns whether everything is gone. */
async function forgetImages(pool: Pool, accountId: string, remove: Remove, untilMs: number): Promise<boolean> {
  let from = EVER.from
  for await (const { files, last } of madePages(pool, accountId, { since: from, until: EVER.to })) {
    if (files.length > 0 && (await remove(files)) > 0) return false
    if (last) {
      await pool.query(DELETE, [accountId, last.at, last.id, from])
      from = last.at
    }
    if (performance.now() > untilMs) return false
  }
  return true
}

/** Their tasks name them. Tasks whose vendor still has to be told have produced none. */
async function forgetVideos(pool: Pool, accountId: string, remove: Remove, untilMs: number): Promise<boolean> {
  for (;;) {
    const { rows } = await pool.query<{ id: string; url: string | null }>(VIDEOS, [accountId])
    const files = rows.flatMap(({ url }) => url ?? [])
    if (files.length > 0 && (await remove(files)) > 0) return false
    if (rows.length > 0) await pool.query('delete from task where id = any ($1)', [rows.map(({ id }) => id)])
    if (rows.length < TASKS) return true
    if (performance.now() > untilMs) return false
  }
}

/** Deletes the conversations of closed accounts. */
export function createForgetting(pool: Pool): Pick<Closings, 'unforgotten' | 'forget'> {
  return {
    async unforgotten() {
      const { rows } = await pool.query<{ id: string }>(
        `select id from account where forget_since is not null order by random() limit ${ACCOUNTS}`,
      )
      return rows.map(({ id }) => id)
    },
    async forget(accountId, remove, untilMs) {
      if (!(await forgetImages(pool, accountId, remove, untilMs))) return
      if (!(await forgetVideos(pool, accountId, remove, untilMs))) return
      await deleteSaid(pool, accountId, EVER.to)
      await pool.query(`update account set forget_since = null where id = $1 and forget_since < clock_timestamp() - ${LATE}`, [
        accountId,
      ])
    },
  }
}
