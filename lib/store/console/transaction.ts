import type { Pool, PoolClient } from 'pg'

/**
 * Runs a function in one transaction: what it returns is committed, what it throws is rolled back and
 * thrown on. A connection that cannot even roll back is closed, never given back to the pool.
 */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  // A connection that is lost says so by itself too, and where nobody listens that ends the process.
  const lost = (error: Error) => {
    broken = error
  }
  client.on('error', lost)
  try {
    await client.query('begin')
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
