import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** The database of a test file. `await using` drops it at the end of its block. */
export interface TestDatabase extends AsyncDisposable {
  readonly name: string
  readonly url: string
  /** Connects on its first query. `drop` ends it. */
  readonly pool: pg.Pool
  /** Ends the pool, closes all other connections, and removes the database. */
  drop(): Promise<void>
}

/** Options of a test database. */
export interface TestDatabaseOptions {
  /** True for a database without tables instead of a migrated one. */
  empty?: boolean
}

/**
 * Creates a new, migrated database in the server that the global setup started, in about 100 ms. The test's project in
 * vitest.config.ts must use that setup.
 */
export async function createDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const template = options.empty ? 'template0' : inject('templateDatabase')
  // The default strategy writes every page to the WAL and takes twice as long.
  await runAdminQuery(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const address = new URL(inject('postgresUrl'))
  address.pathname = `/${name}`
  const url = address.href
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  pool.on('error', () => {})
  const drop = async () => {
    if (!pool.ended) await pool.end()
    await runAdminQuery(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
  return { name, url, pool, drop, [Symbol.asyncDispose]: drop }
}

async function runAdminQuery(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
