import type pg from 'pg'
import {
  type ChainError,
  type FoundResponse,
  type ResponseChain,
  requestIdOf,
  type StoredResponse,
} from '../domain/stored-response.ts'
import { pack, unpack } from './compression.ts'

/** The most responses and JSON of a conversation. All of it is in memory when it is continued. */
const MAX_RESPONSES = 1000
const MAX_BYTES = 16 * 1024 * 1024
/** Rows of one sweep. */
const SWEEP_ROWS = 1000

interface Row {
  id: string
  account_id: string
  previous_id: string | null
  at: Date
  body: Buffer
}

async function storedOf(row: Row): Promise<StoredResponse> {
  const { response, input } = JSON.parse(await unpack(row.body)) as Pick<StoredResponse, 'response' | 'input'>
  return { id: row.id, accountId: row.account_id, previousId: row.previous_id, at: row.at, response, input }
}

/**
 * Keeps a response for `days`, or for as long as its account keeps its history if that is shorter. Does not keep it if the
 * account has deleted its history since. A repeat changes nothing.
 */
export async function saveResponse(pool: pg.Pool, item: StoredResponse, days: number): Promise<void> {
  const json = JSON.stringify({ response: item.response, input: item.input })
  await pool.query({
    name: 'keep_response',
    text: `INSERT INTO stored_response (id, account_id, previous_id, at, expires_at, bytes, body)
           SELECT $1, $2, $3, $4, now() + make_interval(days => LEAST($5, a.history_days)), $6, $7
             FROM (SELECT 1) AS one LEFT JOIN account a ON a.id = $2
            WHERE (a.history_cleared_at IS NULL OR $4::timestamptz > a.history_cleared_at)
              AND NOT EXISTS (SELECT 1 FROM history h WHERE h.request_id = $8 AND h.at = $4 AND octet_length(h.body) = 0)
               ON CONFLICT DO NOTHING`,
    values: [
      item.id,
      item.accountId,
      item.previousId,
      item.at.toISOString(),
      days,
      Buffer.byteLength(json),
      await pack(json),
      requestIdOf(item.id),
    ],
  })
}

/** A response that has not expired, with what its usage record says. Null if the account has none with this id. */
export async function findResponse(pool: pg.Pool, accountId: string, id: string): Promise<FoundResponse | null> {
  const { rows } = await pool.query<Row & Record<'charged' | 'tokens_in' | 'cached' | 'tokens_out' | 'reasoning', string | null>>(
    {
      name: 'find_response',
      text: `SELECT r.id, r.account_id, r.previous_id, r.at, r.body, u.charged_nano AS charged, u.input_units AS tokens_in,
                  u.cached_units AS cached, u.output_units AS tokens_out, u.reasoning_units AS reasoning
             FROM stored_response r
             LEFT JOIN usage_record u ON u.id = $3 AND u.at = r.at AND u.account_id = r.account_id
            WHERE r.id = $1 AND r.account_id = $2 AND r.expires_at > now()`,
      values: [id, accountId, requestIdOf(id)],
    },
  )
  const [row] = rows
  if (!row) return null
  const count = (text: string | null): bigint => BigInt(text ?? 0)
  const paid =
    row.charged === null
      ? null
      : {
          chargedNano: count(row.charged),
          input: count(row.tokens_in) - count(row.cached),
          cachedInput: count(row.cached),
          output: count(row.tokens_out),
          reasoning: count(row.reasoning),
        }
  return { ...(await storedOf(row)), paid }
}

/** A response and everything that it continues, oldest first. Only the newest has to be unexpired; it keeps the others alive. */
export async function findResponseChain(pool: pg.Pool, accountId: string, id: string): Promise<ResponseChain | ChainError> {
  const found = await pool.query<{ id: string; previous_id: string | null; bytes: number }>({
    name: 'response_chain',
    text: `WITH RECURSIVE chain AS (
             SELECT id, previous_id, bytes, 1 AS depth FROM stored_response
              WHERE id = $1 AND account_id = $2 AND expires_at > now()
             UNION ALL
             SELECT r.id, r.previous_id, r.bytes, c.depth + 1 FROM stored_response r JOIN chain c ON r.id = c.previous_id
              WHERE r.account_id = $2 AND c.depth <= $3)
           SELECT id, previous_id, bytes FROM chain ORDER BY depth DESC`,
    values: [id, accountId, MAX_RESPONSES],
  })
  const [oldest] = found.rows
  if (!oldest) return 'unknown'
  const bytes = found.rows.reduce((sum, row) => sum + row.bytes, 0)
  if (found.rows.length > MAX_RESPONSES || bytes > MAX_BYTES) return 'too_large'
  if (oldest.previous_id !== null) return 'broken'
  const ids = found.rows.map((row) => row.id)
  const { rows } = await pool.query<Row>({
    name: 'responses_by_id',
    text: 'SELECT id, account_id, previous_id, at, body FROM stored_response WHERE id = ANY($1) AND account_id = $2',
    values: [ids, accountId],
  })
  // One of them was deleted in the meantime.
  if (rows.length < ids.length) return 'broken'
  const stored = new Map(await Promise.all(rows.map(async (row) => [row.id, await storedOf(row)] as const)))
  return { responses: ids.flatMap((item) => stored.get(item) ?? []), bytes }
}

/**
 * The newest stored response of an account below `before`, whether it has expired or not. Null after the oldest. Read one at a
 * time, because each can be megabytes.
 */
export async function nextResponse(
  pool: pg.Pool,
  accountId: string,
  before: { at: Date; id: string } | null,
): Promise<StoredResponse | null> {
  const { rows } = await pool.query<Row>(
    `SELECT id, account_id, previous_id, at, body FROM stored_response
      WHERE account_id = $1 AND ($2::timestamptz IS NULL OR (at, id) < ($2, $3)) ORDER BY at DESC, id DESC LIMIT 1`,
    [accountId, before?.at ?? null, before?.id ?? null],
  )
  return rows[0] ? storedOf(rows[0]) : null
}

/** Deletes a response of an account. Returns false if the account has none with this id, or it has expired. */
export async function removeResponse(pool: pg.Pool, accountId: string, id: string): Promise<boolean> {
  const removed = await pool.query('DELETE FROM stored_response WHERE id = $1 AND account_id = $2 AND expires_at > now()', [
    id,
    accountId,
  ])
  return removed.rowCount === 1
}

/** Deletes expired responses, except those that a stored response continues. */
export async function sweepResponses(pool: pg.Pool): Promise<void> {
  for (;;) {
    const swept = await pool.query(
      `DELETE FROM stored_response WHERE id IN (
         SELECT r.id FROM stored_response r
          WHERE r.expires_at < now() AND NOT EXISTS (SELECT 1 FROM stored_response n WHERE n.previous_id = r.id)
          LIMIT $1)`,
      [SWEEP_ROWS],
    )
    // A conversation is deleted from its end to its beginning, so it takes several rounds.
    if (swept.rowCount === 0) return
  }
}
