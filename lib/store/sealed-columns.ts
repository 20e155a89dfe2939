import type { Pool } from 'pg'
import { notifyChange } from './notify-change.ts'
import type { Keyring } from './seal.ts'
import { inTransaction } from './transaction.ts'

/** Every column that holds sealed bytes. A new one has to be added here, or its key can never be changed. */
const SEALED = [
  { table: 'connection', key: 'id', column: 'secret_sealed' },
  { table: 'connection', key: 'id', column: 'headers_sealed' },
  { table: 'connection', key: 'id', column: 'proxy_sealed' },
  { table: 'second_step', key: 'user_id', column: 'secret_sealed' },
  { table: 'webhook_endpoint', key: 'id', column: 'secret_sealed' },
  { table: 'webhook_endpoint', key: 'id', column: 'old_secret_sealed' },
] as const

/** Whether the vendor credentials in use were sealed with keys of `ring`. */
export async function opensCredentials(pool: Pool, ring: Keyring): Promise<boolean> {
  const { rows } = await pool.query<{ sealed: Buffer }>(
    `select sealed from connection, unnest(array[secret_sealed, headers_sealed, proxy_sealed]) sealed
      where archived_at is null and sealed is not null`,
  )
  try {
    for (const { sealed } of rows) ring.open(sealed)
    return true
  } catch {
    return false
  }
}

/** Opens everything that is sealed with `ring` and seals it with its first key, all or nothing. Returns how many. */
export async function resealAll(pool: Pool, ring: Keyring): Promise<number> {
  return inTransaction(pool, async (client) => {
    let count = 0
    for (const { table, key, column } of SEALED) {
      const { rows } = await client.query<{ id: string; sealed: Buffer }>(
        `select ${key} as id, ${column} as sealed from ${table} where ${column} is not null for update`,
      )
      for (const { id, sealed } of rows) {
        await client.query(`update ${table} set ${column} = $2 where ${key} = $1`, [id, ring.seal(ring.open(sealed))])
        count++
      }
    }
    await notifyChange(client, 'catalog', 'credentials')
    return count
  })
}
