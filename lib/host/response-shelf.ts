import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { ResponseShelf, StoredResponse } from '../domain/stored-response.ts'
import { findResponse, keepResponse, removeResponse, responseChain } from '../store/response-store.ts'
import { isTransient } from '../store/transient.ts'

const PAUSE_MS = 250

/**
 * Stored responses in the database. A response that was generated and will be charged must not get lost because the database is
 * briefly away. So storing it is retried for `patienceMs`, as its charge is.
 */
export function responseShelf(pool: pg.Pool, options: { days: number; patienceMs: number }): ResponseShelf {
  async function keep(item: StoredResponse): Promise<void> {
    const untilMs = performance.now() + options.patienceMs
    for (;;) {
      try {
        return await keepResponse(pool, item, options.days)
      } catch (error) {
        if (!isTransient(error) || performance.now() > untilMs) throw error
        await sleep(PAUSE_MS)
      }
    }
  }
  return {
    keep,
    find: (accountId, id) => findResponse(pool, accountId, id),
    chain: (accountId, id) => responseChain(pool, accountId, id),
    remove: (accountId, id) => removeResponse(pool, accountId, id),
  }
}
