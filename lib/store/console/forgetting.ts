import type { Pool } from 'pg'
import type { Closings } from '../../services/account/account-ports.ts'
import { EVER } from '../usage-spans.ts'
import { deleteSaid, madePages } from './histories.ts'

/** So many accounts are looked at in one round: any of them, since some may have files that cannot be removed for long. */
const ACCOUNTS = 100
const TASKS = 200

/** What began before an account was closed may be committed so long after it; what begins later is refused. */
const LATE = "interval '5 minutes'"

// In the order of the index by account and time, from the page before up to the last request of which the files are gone: from the
// beginning, each page would pass all that was deleted before it, which stays in the index until a vacuum.
const DELETE = `
  delete from history where account_id = $1 and at >= $4 and at <= $2 and (at, request_id) <= ($2, $3)`

const VIDEOS = `
  select id, url from task where account_id = $1 and finished_at is not null and not stop_vendor order by id limit ${TASKS}`

type Remove = Parameters<Closings['forget']>[1]

/** Answers whether all of it is gone. */
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

/** Their tasks name them. Those of which a vendor has still to be told have made none. */
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

/** Deletes what closed accounts said. */
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
