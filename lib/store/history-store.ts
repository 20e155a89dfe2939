import type pg from 'pg'
import { formatIsoTime } from '../domain/iso-time.ts'
import { pack } from './compression.ts'
import { encodeTextArray, encodeUnquotedArray } from './encode-arrays.ts'
import { sweepPlaygroundKeys } from './playground-keys.ts'
import { sweepResponses } from './response-store.ts'
import { sweepSessions } from './sign-in/sessions.ts'
import { upkeepTraffic } from './traffic-writes.ts'

export interface HistoryItem {
  requestId: string
  at: Date
  accountId: string
  /** JSON of `{ request, answer }`. */
  json: string
}

/**
 * Writes conversations, compressed, in one statement, unless the account no longer keeps a history or has deleted it since.
 * Unlike charges it does not wait for the disk: a power cut may lose the last half second, and the disk stays free for charges.
 */
export async function writeHistory(pool: pg.Pool, items: HistoryItem[]): Promise<void> {
  const bodies = await Promise.all(items.map((item) => pack(item.json)))
  let end = 1
  const starts = bodies.map(({ length }) => {
    end += length
    return end - length
  })
  await pool.query({
    name: 'write_history',
    // The bodies are sent as one value: an array of them would have to be written as digits and parsed again.
    text: `INSERT INTO history (request_id, at, account_id, body)
           SELECT t.request_id, t.at, t.account_id, substring($4::bytea FROM t.start FOR t.length)
             FROM (SELECT set_config('synchronous_commit', 'off', true)) AS s,
                  unnest($1::text[], $2::timestamptz[], $3::text[], $5::integer[], $6::integer[])
                    AS t (request_id, at, account_id, start, length)
             LEFT JOIN account a ON a.id = t.account_id
            WHERE a.id IS NULL OR a.history_enabled AND (a.history_cleared_at IS NULL OR t.at > a.history_cleared_at)
               ON CONFLICT DO NOTHING`,
    values: [
      encodeTextArray(items.map((item) => item.requestId)),
      encodeTextArray(items.map((item) => formatIsoTime(item.at))),
      encodeTextArray(items.map((item) => item.accountId)),
      Buffer.concat(bodies),
      encodeUnquotedArray(starts),
      encodeUnquotedArray(bodies.map(({ length }) => length)),
    ],
  })
}

/**
 * Upkeep: creates partitions ahead, adds up usage by day and month and traffic by day, removes what single accounts do not
 * keep, and deletes old responses, idempotency keys, changes, playground keys, ended sessions, and tasks that can no longer be
 * retrieved. Drops days of history that no account keeps. Rejects if one of those is in use; everything else is done by then.
 */
export async function upkeep(pool: pg.Pool): Promise<void> {
  await pool.query('SELECT make_partitions(now())')
  await pool.query(`SELECT roll_usage(now() - interval '2 days')`)
  await deleteExpiredHistory(pool)
  await pool.query(`DELETE FROM idempotency WHERE created_at < now() - interval '25 hours'`)
  await pool.query(
    `DELETE FROM task WHERE finished_at IS NOT NULL AND NOT stop_vendor AND expires_at < now() - interval '1 hour'`,
  )
  await upkeepTraffic(pool)
  await sweepResponses(pool)
  await sweepPlaygroundKeys(pool)
  await sweepSessions(pool)
  await pool.query(`DELETE FROM change WHERE at < now() - interval '1 hour'`)
  await dropDays(pool)
}

/**
 * Removes what accounts no longer keep, for all accounts with the same retention at once. With a single cutoff time PostgreSQL
 * skips the days that are younger. Otherwise it would read the whole history, every hour.
 */
async function deleteExpiredHistory(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ days: number }>('SELECT DISTINCT history_days AS days FROM account')
  for (const { days } of rows)
    await pool.query(
      `DELETE FROM history h USING account a
        WHERE a.id = h.account_id AND a.history_days = $1 AND h.at < now() - make_interval(days => $1)`,
      [days],
    )
}

/**
 * A reader of all history, such as a dump, blocks a drop, and everything after the drop queues behind it. So the drop gives up
 * soon.
 */
async function dropDays(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'history'::regclass AND c.relname ~ '^history_[0-9]{8}$'
        AND to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - (SELECT COALESCE(max(history_days), 30) + 1 FROM account)`,
  )
  // Both statements sent together are one transaction.
  for (const { name } of rows) await pool.query(`SET LOCAL lock_timeout = '3s'; DROP TABLE IF EXISTS "${name}"`)
}
