import { randomFillSync } from 'node:crypto'
import { ID_RANDOM_BYTES, newId } from '../domain/ids.ts'

/** Asking the system for randomness takes longer than all the rest of making an id: it is fetched for many at once. */
const POOL = Buffer.allocUnsafe(ID_RANDOM_BYTES * 512)
let at = POOL.length

/** A new id with a time inside. */
export function makeId(prefix: string, nowMs: number): string {
  if (at === POOL.length) {
    randomFillSync(POOL)
    at = 0
  }
  const from = at
  at += ID_RANDOM_BYTES
  return newId(prefix, nowMs, POOL, from)
}
