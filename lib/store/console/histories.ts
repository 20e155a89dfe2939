import type { Pool, PoolClient } from 'pg'
import type { Histories } from '../../services/history/history-ports.ts'
import { unpack } from '../packed.ts'
import { nextResponse, responseIdOf } from '../response-store.ts'
import { inTransaction } from '../transaction.ts'

const CHANNEL = 'tollgate_change'
/** So many rows are deleted by one statement, so that none of them takes long. */
const BATCH_ROWS = 5_000
/** Endpoints whose answers name files that are kept here. */
const MADE = ['images.generations', 'images.edits']

/** The addresses in an answer with images. The gateway writes them; what a caller sent is not looked at. */
function addressesIn(json: string): string[] {
  const { answer } = JSON.parse(json) as { answer?: { data?: unknown } | null }
  const data: unknown = answer?.data
  if (!Array.isArray(data)) return []
  return data.flatMap((entry: { url?: unknown } | null) => (typeof entry?.url === 'string' ? [entry.url] : []))
}

/**
 * Addresses of files that the requests of an account made, or one of them, and that can still be there. Videos stand in
 * their tasks.
 */
export async function filesOf(
  client: PoolClient,
  accountId: string,
  requestId: string | null,
  at: Date | null,
): Promise<string[]> {
  const { rows } = await client.query<{ body: Buffer }>(
    `select h.body from history h join usage_record u on u.id = h.request_id and u.at = h.at and u.account_id = h.account_id
      where h.account_id = $1 and ($2::text is null or h.request_id = $2) and ($3::timestamptz is null or h.at = $3)
        and h.at > now() - interval '31 days' and u.endpoint = any($4) and octet_length(h.body) > 0`,
    [accountId, requestId, at, MADE],
  )
  const videos = await client.query<{ url: string }>(
    'select url from task where account_id = $1 and url is not null and ($2::text is null or request_id = $2)',
    [accountId, requestId],
  )
  const images = await Promise.all(rows.map(async ({ body }) => unpack(body).then(addressesIn, () => [])))
  return [...images.flat(), ...videos.rows.map(({ url }) => url)]
}

const tell = async (client: PoolClient, accountId: string): Promise<void> => {
  await client.query("insert into change (topic, ref) values ('account', $1)", [accountId])
  await client.query('select pg_notify($1, $2)', [CHANNEL, `account:${accountId}`])
}

/** Deletes an account's history up to a time, in batches; answers of how many requests. */
async function deleteUpTo(pool: Pool, accountId: string, until: Date): Promise<number> {
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

// Stored responses end with the history. One that has ended is removed by upkeep, unless a later one continues it.
const SHORTEN = `
  update stored_response set expires_at = at + make_interval(days => $2)
  where account_id = $1 and expires_at > at + make_interval(days => $2)`

/** What was said: whether and how long it is kept, and its end. */
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
        const { rows } = await client.query<{ until: Date }>(
          `update account set history_enabled = $2, history_days = $3 where id = $1
           returning now() - make_interval(days => history_days) as until`,
          [accountId, enabled, days],
        )
        await client.query(SHORTEN, [accountId, days])
        await tell(client, accountId)
        return rows[0]?.until ?? new Date(0)
      })
      await deleteUpTo(pool, accountId, until)
    },
    remove: (accountId, { id, at }) =>
      inTransaction(pool, async (client) => {
        const files = await filesOf(client, accountId, id, at)
        // An empty body stays: what was said may be on its way still, and is not written where a row is.
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
      const { files, until } = await inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ until: Date }>(
          'update account set history_cleared_at = now() where id = $1 returning history_cleared_at as until',
          [accountId],
        )
        return { files: await filesOf(client, accountId, null, null), until: rows[0]?.until ?? new Date(0) }
      })
      await deleteResponses(pool, accountId, until)
      return { requests: await deleteUpTo(pool, accountId, until), files }
    },
  }
}
