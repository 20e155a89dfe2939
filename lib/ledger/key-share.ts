import type { Purse } from './purse.ts'

/** What a request needs of each of its purses. */
export interface Need {
  keyId: string
  amount: bigint
  /** What the key's unfinished tasks hold, if that counts toward its share. The database holds it, not this process. */
  inTasks?: bigint
}

/**
 * Keeps one key from starving the others of its account: while another key has requests in flight, a key holds at most half of
 * the balance. On its own it may hold everything.
 */
export function isWithinKeyShare(purse: Purse, { keyId, amount, inTasks = 0n }: Need): boolean {
  const requests = purse.heldByKey.get(keyId)
  const heldByThisKey = (requests ?? 0n) + inTasks
  if (heldByThisKey === 0n || purse.balance === null) return true
  const others = purse.heldByKey.size > (requests === undefined ? 0 : 1)
  return !others || (heldByThisKey + amount) * 2n <= purse.balance
}
