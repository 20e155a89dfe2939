import type pg from 'pg'

/** How long after a key's end results of its requests may still arrive. Videos take hours. */
const RESULT_GRACE = "interval '1 day'"

/**
 * Removes playground keys that ended a day ago and were never used, and revokes the others. Their rows stay because usage
 * records take their names from them.
 */
export async function sweepPlaygroundKeys(pool: pg.Pool): Promise<void> {
  const ended = `k.purpose = 'playground' and k.expires_at < now() - ${RESULT_GRACE}`
  await pool.query(
    `delete from api_key k where ${ended} and not exists (
       select from usage_hour h where h.account_id = k.account_id and h.key_id = k.id)`,
  )
  await pool.query(`update api_key k set revoked_at = k.expires_at where ${ended} and k.revoked_at is null`)
}
