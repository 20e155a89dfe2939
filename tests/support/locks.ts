import pg from 'pg'
import { expect } from 'vitest'

export interface RowLock {
  /** Resolves when a statement with these words waits for a lock. */
  waitUntilBlocked(statementText: string): Promise<void>
  /** Resolves when this many statements wait for locks. */
  waitUntilBlockedCount(count: number): Promise<void>
  release(): Promise<void>
}

/** Locks an account's purse as another transaction would. Settling or booking has to wait for it. */
export const lockPurse = (databaseUrl: string, account: string): Promise<RowLock> =>
  lockRows(databaseUrl, 'purse where id = $1', [account])

/** Locks rows of a table, given by what follows `from`. */
export async function lockRows(databaseUrl: string, fromClause: string, values: unknown[]): Promise<RowLock> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'test lock' })
  const watcher = new pg.Client({ connectionString: databaseUrl })
  for (const each of [client, watcher]) {
    each.on('error', () => undefined)
    await each.connect()
  }
  await client.query('BEGIN')
  await client.query(`SELECT 1 FROM ${fromClause} FOR UPDATE`, values)
  const countBlocked = async (statementText: string) =>
    (
      await watcher.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
        [`%${statementText}%`],
      )
    ).rowCount
  return {
    async waitUntilBlocked(statementText) {
      await expect.poll(() => countBlocked(statementText), { timeout: 10_000 }).toBeGreaterThan(0)
    },
    async waitUntilBlockedCount(count) {
      await expect.poll(() => countBlocked(''), { timeout: 10_000 }).toBe(count)
    },
    async release() {
      await client.end()
      await watcher.end()
    },
  }
}
