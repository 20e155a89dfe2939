import type { Pool } from 'pg'

/** Leaves `mark` in a database that has none. */
export async function leaveSecretMark(pool: Pool, mark: Buffer): Promise<void> {
  await pool.query('INSERT INTO secret_mark (mark) VALUES ($1) ON CONFLICT DO NOTHING', [mark])
}

/** Whether the database has another mark than `mark`. */
export async function hasOtherSecretMark(pool: Pool, mark: Buffer): Promise<boolean> {
  const { rows } = await pool.query<{ mark: Buffer }>('SELECT mark FROM secret_mark')
  return rows[0] !== undefined && !rows[0].mark.equals(mark)
}
