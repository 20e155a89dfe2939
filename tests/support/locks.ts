import pg from 'pg'
import { expect } from 'vitest'

export interface PurseLock {
  /** Resolves when a statement with these words waits for a lock. */
  waitedFor(words: string): Promise<void>
  release(): Promise<void>
}

/** Holds an account's purse as another transaction would: whoever settles or books waits for it. */
export async function lockPurse(databaseUrl: string, account: string): Promise<PurseLock> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'test lock' })
  const watcher = new pg.Client({ connectionString: databaseUrl })
  for (const each of [client, watcher]) {
    each.on('error', () => undefined)
    await each.connect()
  }
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM purse WHERE id = $1 FOR UPDATE', [account])
  return {
    async waitedFor(words) {
      const waiting = async () =>
        (
          await watcher.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
            [`%${words}%`],
          )
        ).rowCount
      await expect.poll(waiting, { timeout: 10_000 }).toBeGreaterThan(0)
    },
    async release() {
      await client.end()
      await watcher.end()
    },
  }
}
