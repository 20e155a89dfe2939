import type { Pool } from 'pg'
import type { Closings } from '../../services/account/account-ports.ts'
import { ALL_TIME } from '../usage-spans.ts'
import { deleteConversations, filePages } from './histories.ts'

/** How many accounts one round handles. They are picked at random, because the files of some may stay undeletable for long. */
const MAX_ACCOUNTS = 100
const TASK_BATCH_SIZE = 200

/** What began before an account was closed may be committed this much later. What begins later is refused. */
const MAX_COMMIT_DELAY = "interval '5 minutes'"

// In the order of the index by account and time, from the previous page to the last request whose files are gone. From the
// start, each page would pass over everything deleted before it, which stays in the index until a vacuum.
const DELETE = `
  delete from history where account_id = $1 and at >= $4 and at <= $2 and (at, request_id) <= ($2, $3)`

const VIDEOS = `
  select id, url from task where account_id = $1 and finished_at is not null and not stop_vendor order by id limit ${TASK_BATCH_SIZE}`

type RemoveFiles = Parameters<Closings['eraseContent']>[1]

/** Returns whether everything is gone. */
async function eraseImages(pool: Pool, accountId: string, remove: RemoveFiles, untilMs: number): Promise<boolean> {
  let from = ALL_TIME.from
  for await (const { files, last } of filePages(pool, accountId, { since: from, until: ALL_TIME.to })) {
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
async function eraseVideos(pool: Pool, accountId: string, remove: RemoveFiles, untilMs: number): Promise<boolean> {
  for (;;) {
    const { rows } = await pool.query<{ id: string; url: string | null }>(VIDEOS, [accountId])
    const files = rows.flatMap(({ url }) => url ?? [])
    if (files.length > 0 && (await remove(files)) > 0) return false
    if (rows.length > 0) await pool.query('delete from task where id = any ($1)', [rows.map(({ id }) => id)])
    if (rows.length < TASK_BATCH_SIZE) return true
    if (performance.now() > untilMs) return false
  }
}

/** Deletes the conversations of closed accounts. */
export function createClosedAccountErasure(pool: Pool): Pick<Closings, 'listUnerased' | 'eraseContent'> {
  return {
    async listUnerased() {
      const { rows } = await pool.query<{ id: string }>(
        `select id from account where forget_since is not null order by random() limit ${MAX_ACCOUNTS}`,
      )
      return rows.map(({ id }) => id)
    },
    async eraseContent(accountId, remove, untilMs) {
      if (!(await eraseImages(pool, accountId, remove, untilMs))) return
      if (!(await eraseVideos(pool, accountId, remove, untilMs))) return
      await deleteConversations(pool, accountId, ALL_TIME.to)
      await pool.query(
        `update account set forget_since = null where id = $1 and forget_since < clock_timestamp() - ${MAX_COMMIT_DELAY}`,
        [accountId],
      )
    },
  }
}
