import type { Pool, PoolClient } from 'pg'

const SNAPSHOT = 'begin isolation level repeatable read read only'

/**
 * Runs a function in one transaction. What it returns is committed; if it throws, the transaction is rolled back and the error
 * rethrown. A connection that cannot even roll back is closed and never returned to the pool.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  begin: 'begin' | typeof SNAPSHOT = 'begin',
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  // A lost connection also emits an error by itself, which would end the process if nobody listened.
  const lost = (error: Error) => {
    broken = error
  }
  client.on('error', lost)
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.off('error', lost)
    client.release(broken)
  }
}

/** Reads several things as of one moment. */
export const inSnapshot = <T>(pool: Pool, read: (client: PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, read, SNAPSHOT)
