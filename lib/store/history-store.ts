import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib'
import type pg from 'pg'
import { bytes, texts } from './arrays.ts'

const compressAway = promisify(zstdCompress)
const decompressAway = promisify(zstdDecompress)
const OPEN_BRACE = 123
/** A stored body that unpacks to more than this is damaged, not long: media are never stored in it. */
const MAX_HISTORY_BYTES = 256 * 1024 * 1024

/** Below this size, in characters, handing work to another thread takes longer than doing it (35 against 600 microseconds). */
const SMALL = 32 * 1024

/** Below this size compressing saves next to nothing, and takes as long as all the rest of a request. */
const TINY = 2 * 1024

function compress(json: string): Promise<Buffer> | Buffer {
  if (json.length <= TINY) return Buffer.from(json)
  return json.length > SMALL ? compressAway(json) : zstdCompressSync(json)
}

/** The JSON in a stored body: itself, or zstd of it, which never begins with a brace. */
export const readHistory = async (body: Uint8Array): Promise<string> =>
  (body[0] === OPEN_BRACE ? Buffer.from(body) : await decompressAway(body, { maxOutputLength: MAX_HISTORY_BYTES })).toString()

export interface HistoryItem {
  requestId: string
  at: Date
  accountId: string
  /** JSON of `{ request, answer }`. */
  json: string
}

/**
 * Writes what was said, compressed, in one statement. It does not wait for the disk, as charges do: a power cut may
 * take the last half second of it, and the disk is not kept from the charges.
 */
export async function writeHistory(pool: pg.Pool, items: HistoryItem[]): Promise<void> {
  const bodies = await Promise.all(items.map((item) => compress(item.json)))
  await pool.query({
    name: 'write_history',
    text: `INSERT INTO history (request_id, at, account_id, body)
           SELECT t.* FROM (SELECT set_config('synchronous_commit', 'off', true)) AS s,
                  unnest($1::text[], $2::timestamptz[], $3::text[], $4::bytea[]) AS t ON CONFLICT DO NOTHING`,
    values: [
      texts(items.map((item) => item.requestId)),
      texts(items.map((item) => item.at.toISOString())),
      texts(items.map((item) => item.accountId)),
      bytes(bodies),
    ],
  })
}

/**
 * Daily upkeep: makes the partitions ahead, drops days of history that no account keeps any more,
 * removes what single accounts do not keep, and forgets old idempotency keys and changes.
 */
export async function upkeep(pool: pg.Pool): Promise<void> {
  await pool.query('SELECT make_partitions(now())')
  const old = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'history'::regclass AND c.relname ~ '^history_[0-9]{8}$'
        AND to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - (SELECT COALESCE(max(history_days), 30) + 1 FROM account)`,
  )
  for (const { name } of old.rows) await pool.query(`DROP TABLE IF EXISTS "${name}"`)
  await pool.query(
    `DELETE FROM history h USING account a
      WHERE a.id = h.account_id AND h.at < now() - make_interval(days => a.history_days)`,
  )
  await pool.query(`DELETE FROM idempotency WHERE created_at < now() - interval '25 hours'`)
  await pool.query(`DELETE FROM change WHERE at < now() - interval '1 hour'`)
}
