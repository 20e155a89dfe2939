import { randomFillSync } from 'node:crypto'
import { ID_RANDOM_BYTES, newId } from '../domain/ids.ts'

/**
 * Random bytes are fetched for many ids at once, because asking the system for them takes longer than the rest of making an id.
 */
const POOL = Buffer.allocUnsafe(ID_RANDOM_BYTES * 512)
let at = POOL.length

/** A new id that contains the time. */
export function makeId(prefix: string, nowMs: number): string {
  if (at === POOL.length) {
    randomFillSync(POOL)
    at = 0
  }
  const from = at
  at += ID_RANDOM_BYTES
  return newId(prefix, nowMs, POOL, from)
}
