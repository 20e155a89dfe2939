import type pg from 'pg'
import type { Caller } from '../domain/catalog.ts'

interface KeyRow {
  id: string
  account_id: string
  group_id: string
  expires_at: Date | null
  revoked_at: Date | null
  suspended_at: Date | null
  model_allow: string[]
  address_allow: string[]
  rpm: number | null
  tpm: number | null
  limit_total_nano: string | null
  limit_month_nano: string | null
  keep_history: boolean
}

/** Finds the owner of an API key by the HMAC of its secret. A secret from before a rotation expires sooner than its key. */
export async function findCaller(pool: pg.Pool, secretHmac: Buffer): Promise<Caller | null> {
  const result = await pool.query<KeyRow>({
    name: 'find_caller',
    // A playground key ends with the sessions of its user.
    text: `SELECT k.id, k.account_id, k.group_id, LEAST(k.expires_at, s.expires_at) AS expires_at, a.suspended_at, k.model_allow,
                  CASE WHEN k.purpose = 'playground' AND u.session_epoch IS DISTINCT FROM k.session_epoch
                    THEN k.created_at ELSE k.revoked_at END AS revoked_at,
                  k.address_allow, k.rpm, k.tpm, k.limit_total_nano, k.limit_month_nano,
                  k.history_enabled AND a.history_enabled AS keep_history
             FROM (SELECT id, NULL::timestamptz AS expires_at FROM api_key WHERE secret_hmac = $1
                   UNION ALL SELECT key_id, expires_at FROM former_secret WHERE secret_hmac = $1) s
             JOIN api_key k ON k.id = s.id JOIN account a ON a.id = k.account_id LEFT JOIN app_user u ON u.id = k.user_id`,
    values: [secretHmac],
  })
  const [row] = result.rows
  if (!row) return null
  return {
    keyId: row.id,
    accountId: row.account_id,
    groupId: row.group_id,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    revoked: row.revoked_at !== null,
    suspended: row.suspended_at !== null,
    modelAllow: row.model_allow.length > 0 ? new Set(row.model_allow) : null,
    addressAllow: row.address_allow,
    rpm: row.rpm,
    tpm: row.tpm,
    limitTotal: row.limit_total_nano === null ? null : BigInt(row.limit_total_nano),
    limitMonth: row.limit_month_nano === null ? null : BigInt(row.limit_month_nano),
    keepHistory: row.keep_history,
  }
}

/**
 * Records when keys were last used. `ids` and `times` have equal length. Keys are locked in the order in which closing an
 * account locks them, so processes that write the same keys at once wait for each other without a deadlock.
 */
export async function touchKeys(pool: pg.Pool, ids: string[], times: Date[]): Promise<void> {
  await pool.query(
    `WITH used AS (
       SELECT k.id, t.at FROM unnest($1::text[], $2::timestamptz[]) AS t(id, at) JOIN api_key k ON k.id = t.id
        ORDER BY k.id FOR NO KEY UPDATE OF k)
     UPDATE api_key k SET last_used_at = used.at FROM used
      WHERE k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < used.at)`,
    [ids, times],
  )
}
