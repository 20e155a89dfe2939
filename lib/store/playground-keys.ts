import type pg from 'pg'

/** How long after its end nothing can come any more that was asked for with a key: videos take hours. */
const AFTER = "interval '1 day'"

/**
 * Removes keys of the playground that ended a day ago and were never used, and revokes the others: their rows are what
 * records of usage have their names from.
 */
export async function sweepPlaygroundKeys(pool: pg.Pool): Promise<void> {
  const ended = `k.purpose = 'playground' and k.expires_at < now() - ${AFTER}`
  await pool.query(
    `delete from api_key k where ${ended} and not exists (
       select from usage_hour h where h.account_id = k.account_id and h.key_id = k.id)`,
  )
  await pool.query(`update api_key k set revoked_at = k.expires_at where ${ended} and k.revoked_at is null`)
}
