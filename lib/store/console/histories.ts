import type { Pool, PoolClient } from 'pg'
import { responseIdOf } from '../../domain/stored-response.ts'
import type { Histories } from '../../services/history/history-ports.ts'
import { unpack } from '../compression.ts'
import { lockOpenAccount } from '../ledger/closed-account-guards.ts'
import { notifyChange } from '../notify-change.ts'
import { nextResponse } from '../response-store.ts'
import { inTransaction } from '../transaction.ts'

/** How many rows one statement deletes, so that no statement takes long. */
const BATCH_ROWS = 5_000
/** How many requests' conversations are in memory at the same time. */
const PAGE_ROWS = 200
/** Endpoints whose answers name files that are stored here. */
const IMAGE_ENDPOINTS = ['images.generations', 'images.edits']

/** The addresses in an answer with images. The gateway writes them; what the caller sent is not searched. */
function fileUrlsIn(json: string): string[] {
  const { answer } = JSON.parse(json) as { answer?: { data?: unknown } | null }
  const data: unknown = answer?.data
  if (!Array.isArray(data)) return []
  return data.flatMap((entry: { url?: unknown } | null) => (typeof entry?.url === 'string' ? [entry.url] : []))
}

// Starts where the previous page ended, in index order and for every endpoint. The join then shows which of them made files.
const PAGE = `
  select h.id, h.at, case when u.endpoint = any($6) then h.body end as body
    from (select request_id as id, at, body from history
           where account_id = $1 and ($2::text is null or request_id = $2) and at >= $3 and at <= $4
             and (at, request_id) > ($3, $5) and octet_length(body) > 0
           order by at, request_id limit ${PAGE_ROWS}) h
    left join usage_record u on u.id = h.id and u.at = h.at and u.account_id = $1
   order by h.at, h.id`

/** Requests that began between two times, both inclusive, or a single one. */
interface RequestSpan {
  requestId?: string
  since: Date
  until: Date
}

/**
 * Addresses of files that an account's requests made, except for videos, with the last request that was read. Reads a few
 * requests at a time: an account can have millions of them, and each can be long.
 */
export async function* filePages(
  db: Pick<PoolClient, 'query'>,
  accountId: string,
  { requestId, since, until }: RequestSpan,
): AsyncGenerator<{ files: string[]; last: { at: Date; id: string } | null }> {
  let after = { at: since, id: '' }
  for (;;) {
    const values = [accountId, requestId ?? null, after.at, until, after.id, IMAGE_ENDPOINTS]
    const { rows } = await db.query<{ id: string; at: Date; body: Buffer | null }>(PAGE, values)
    const bodies = rows.flatMap(({ body }) => (body === null ? [] : [body]))
    const last = rows.at(-1) ?? null
    yield { files: (await Promise.all(bodies.map((body) => unpack(body).then(fileUrlsIn, () => [])))).flat(), last }
    if (rows.length < PAGE_ROWS || !last) return
    after = last
  }
}

/** Addresses of all files that an account's requests made. Those of videos are in their tasks. */
export async function findFiles(db: Pick<PoolClient, 'query'>, accountId: string, span: RequestSpan): Promise<string[]> {
  const { requestId, until } = span
  const files: string[] = []
  for await (const page of filePages(db, accountId, span)) files.push(...page.files)
  const videos = await db.query<{ url: string }>(
    `select url from task where account_id = $1 and url is not null
       and case when $2::text is null then created_at <= $3 else request_id = $2 end`,
    [accountId, requestId ?? null, until],
  )
  return [...files, ...videos.rows.map(({ url }) => url)]
}

/** Deletes an account's history up to a time, in batches. Returns the number of requests. */
async function deleteHistory(pool: Pool, accountId: string, until: Date): Promise<number> {
  let requests = 0
  for (;;) {
    const { rows } = await pool.query<{ kept: boolean }>(
      `delete from history h using (
         select request_id, at from history where account_id = $1 and at <= $2 limit ${BATCH_ROWS}
       ) old where h.request_id = old.request_id and h.at = old.at and h.account_id = $1
       returning octet_length(h.body) > 0 as kept`,
      [accountId, until],
    )
    requests += rows.filter(({ kept }) => kept).length
    if (rows.length < BATCH_ROWS) return requests
  }
}

/** Deletes an account's stored responses up to a time, in batches. */
async function deleteResponses(pool: Pool, accountId: string, until: Date): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from stored_response where id in (
         select id from stored_response where account_id = $1 and at <= $2 limit ${BATCH_ROWS}
       ) and account_id = $1`,
      [accountId, until],
    )
    if ((rowCount ?? 0) < BATCH_ROWS) return
  }
}

/** Deletes the conversations of an account's requests that began up to a time. Returns how many requests had something stored. */
export async function deleteConversations(pool: Pool, accountId: string, until: Date): Promise<number> {
  await deleteResponses(pool, accountId, until)
  return deleteHistory(pool, accountId, until)
}

// Stored responses expire with the history. Upkeep removes an expired one, unless a later one continues it.
const SHORTEN = `
  update stored_response set expires_at = at + make_interval(days => $2)
  where account_id = $1 and expires_at > at + make_interval(days => $2)`

/** Conversation history: whether and how long it is kept, and its deletion. */
export function createHistories(pool: Pool): Histories {
  return {
    async settings(accountId) {
      const { rows } = await pool.query<{ enabled: boolean; days: number }>(
        'select history_enabled as enabled, history_days as days from account where id = $1',
        [accountId],
      )
      return rows[0] ?? { enabled: false, days: 1 }
    },
    async setSettings(accountId, { enabled, days }) {
      const until = await inTransaction(pool, async (client) => {
        await lockOpenAccount(client, accountId)
        const { rows } = await client.query<{ until: Date }>(
          `update account set history_enabled = $2, history_days = $3 where id = $1
           returning now() - make_interval(days => history_days) as until`,
          [accountId, enabled, days],
        )
        await client.query(SHORTEN, [accountId, days])
        await notifyChange(client, 'account', accountId)
        return rows[0]?.until ?? new Date(0)
      })
      await deleteHistory(pool, accountId, until)
    },
    remove: (accountId, { id, at }) =>
      inTransaction(pool, async (client) => {
        const files = await findFiles(client, accountId, { requestId: id, since: at, until: at })
        // An empty body stays, because the conversation may still be on its way, and it is not written if there is a row.
        await client.query(
          `insert into history (request_id, at, account_id, body) values ($1, $2, $3, '')
           on conflict (request_id, at) do update set body = '' where history.account_id = $3`,
          [id, at, accountId],
        )
        await client.query('delete from stored_response where id = $1 and account_id = $2', [responseIdOf(id), accountId])
        return files
      }),
    nextResponse: (accountId, before) => nextResponse(pool, accountId, before),
    async clear(accountId) {
      const { rows } = await pool.query<{ until: Date }>(
        'update account set history_cleared_at = now() where id = $1 returning history_cleared_at as until',
        [accountId],
      )
      const until = rows[0]?.until ?? new Date(0)
      const files = await findFiles(pool, accountId, { since: new Date(0), until })
      return { requests: await deleteConversations(pool, accountId, until), files }
    },
  }
}
