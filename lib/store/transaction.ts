import type { Pool, PoolClient } from 'pg'

const SNAPSHOT = 'begin isolation level repeatable read read only'

/**
 * Runs a function in one transaction: what it returns is committed, what it throws is rolled back and
 * thrown on. A connection that cannot even roll back is closed, never given back to the pool.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  begin: 'begin' | typeof SNAPSHOT = 'begin',
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  // A connection that is lost says so by itself too, and where nobody listens that ends the process.
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

/** Reads several things as they were at one moment. */
export const inSnapshot = <T>(pool: Pool, read: (client: PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, read, SNAPSHOT)
