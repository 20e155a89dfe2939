import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { unpack } from '#lib/store/compression'

/** The stored history of a request. Waits up to 5 s for it, because it is written later. */
export async function historyOf(pool: pg.Pool, requestId: string): Promise<{ request: unknown; answer: unknown }> {
  for (let tries = 0; tries < 500; tries++) {
    const { rows } = await pool.query<{ body: Buffer }>('SELECT body FROM history WHERE request_id = $1', [requestId])
    if (rows[0]) return JSON.parse(await unpack(rows[0].body))
    await sleep(10)
  }
  throw new Error(`there is no history of ${requestId}`)
}
