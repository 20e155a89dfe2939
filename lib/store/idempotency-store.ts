import type pg from 'pg'

/** The owner of a row whose answer was repeated. The database's undo_voided() uses it too. */
const REPLAYED = 'replayed'

export interface ClaimRequest {
  accountId: string
  key: string
  keyId: string
  hash: Buffer
  requestId: string
  owner: string
}

/** `claimed`: run it. `running`: its first run is in progress. `other`: the key was used for another request. */
export type Claim =
  | { kind: 'claimed' }
  | { kind: 'running' }
  | { kind: 'other' }
  | { kind: 'answered'; requestId: string; status: number; headers: Record<string, string>; body: Buffer }

/**
 * Claims an idempotency key for a request, or reports the state of the request that has it. A row is taken over if it is older
 * than a day, or if it belongs to the same request and its process died without an answer.
 */
export async function claimIdempotency(pool: pg.Pool, request: ClaimRequest): Promise<Claim> {
  const values = [request.accountId, request.key, request.keyId, request.hash, request.requestId, request.owner]
  const claimed = await pool.query(
    `INSERT INTO idempotency AS x (account_id, key, key_id, hash, request_id, owner, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, now())
     ON CONFLICT (account_id, key) DO UPDATE SET key_id = excluded.key_id, hash = excluded.hash,
        request_id = excluded.request_id, owner = excluded.owner, created_at = now(),
        status = NULL, headers = NULL, body = NULL
      WHERE x.created_at < now() - interval '24 hours'
         OR (x.status IS NULL AND x.hash = excluded.hash AND NOT EXISTS (SELECT 1 FROM process p WHERE p.id = x.owner))
     RETURNING 1`,
    values,
  )
  if (claimed.rowCount === 1) return { kind: 'claimed' }
  const found = await pool.query<{
    hash: Buffer
    request_id: string
    owner: string
    status: number | null
    headers: Record<string, string> | null
    body: Buffer | null
  }>(
    'SELECT hash, request_id, owner, status, headers, body FROM idempotency WHERE account_id = $1 AND key = $2',
    values.slice(0, 2),
  )
  const [row] = found.rows
  if (!row) return { kind: 'running' }
  if (!row.hash.equals(request.hash)) return { kind: 'other' }
  if (row.status === null || !(await markReplayed(pool, request, row))) return { kind: 'running' }
  return {
    kind: 'answered',
    requestId: row.request_id,
    status: row.status,
    headers: row.headers ?? {},
    body: row.body ?? Buffer.alloc(0),
  }
}

/** Records that an answer is repeated, so no void takes its charge back any more. Returns false if one already has. */
async function markReplayed(pool: pg.Pool, { accountId, key }: ClaimRequest, row: { request_id: string; owner: string }) {
  if (row.owner === REPLAYED) return true
  const updated = await pool.query(
    'UPDATE idempotency SET owner = $4 WHERE account_id = $1 AND key = $2 AND request_id = $3 AND status IS NOT NULL',
    [accountId, key, row.request_id, REPLAYED],
  )
  return updated.rowCount === 1
}

/** Releases a claim whose request ended without an answer worth replaying. */
export async function releaseIdempotency(pool: pg.Pool, accountId: string, key: string, requestId: string): Promise<void> {
  await pool.query('DELETE FROM idempotency WHERE account_id = $1 AND key = $2 AND request_id = $3 AND status IS NULL', [
    accountId,
    key,
    requestId,
  ])
}
