import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { ResponseStore, StoredResponse } from '../domain/stored-response.ts'
import { findResponse, findResponseChain, removeResponse, saveResponse } from '../store/response-store.ts'
import { isTransient } from '../store/transient.ts'

const RETRY_DELAY_MS = 250

/**
 * Stored responses in the database. A response that was generated and will be charged must not get lost because the database is
 * briefly away. So storing it is retried for `retryForMs`, as its charge is.
 */
export function createResponseStore(pool: pg.Pool, options: { days: number; retryForMs: number }): ResponseStore {
  async function save(item: StoredResponse): Promise<void> {
    const untilMs = performance.now() + options.retryForMs
    for (;;) {
      try {
        return await saveResponse(pool, item, options.days)
      } catch (error) {
        if (!isTransient(error) || performance.now() > untilMs) throw error
        await sleep(RETRY_DELAY_MS)
      }
    }
  }
  return {
    save,
    find: (accountId, id) => findResponse(pool, accountId, id),
    findChain: (accountId, id) => findResponseChain(pool, accountId, id),
    remove: (accountId, id) => removeResponse(pool, accountId, id),
  }
}
