import type { Pool, PoolClient } from 'pg'
import type { PlaygroundKeys } from '../../services/playground/playground-ports.ts'
import { notifyChange } from '../notify-change.ts'
import { inTransaction } from '../transaction.ts'

const INSERT = `
  insert into api_key (id, account_id, group_id, user_id, session_epoch, name, hint, secret_hmac, created_at, expires_at, purpose)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'playground')`

const END = `
  update api_key set revoked_at = $2
  where user_id = $1 and purpose = 'playground' and revoked_at is null and expires_at > $2
  returning id`

/**
 * Revokes a user's playground keys that are still valid, and tells every process. Returns how many. Everything that ends a
 * session calls this in the same transaction, after the session is gone, because a key made in it must not outlive it. Windows
 * of other sessions create a new key for themselves.
 */
export async function endPlaygroundKeys(client: PoolClient, userId: string, at: Date): Promise<number> {
  const { rows } = await client.query<{ id: string }>(END, [userId, at])
  await notifyChange(client, 'key', ...rows.map(({ id }) => id))
  return rows.length
}

/** Keys for calls from the console. They are rows of the same table as all keys, so the gateway has only one kind. */
export function createPlaygroundKeys(pool: Pool): PlaygroundKeys {
  return {
    create: (key, sessionId) =>
      inTransaction(pool, async (client) => {
        // Locked, so that either what ends the session at this moment finds the key, or this finds no session.
        const session = await client.query('select from user_session where id = $1 and user_id = $2 for key share', [
          sessionId,
          key.userId,
        ])
        if (session.rowCount !== 1) return false
        const { id, accountId, groupId, userId, sessionEpoch, name, hint, secretHmac, createdAt, expiresAt } = key
        const hmac = Buffer.from(secretHmac)
        await client.query(INSERT, [id, accountId, groupId, userId, sessionEpoch, name, hint, hmac, createdAt, expiresAt])
        await notifyChange(client, 'key', id)
        return true
      }),
    revoke: (userId, at) => inTransaction(pool, (client) => endPlaygroundKeys(client, userId, at)),
  }
}
