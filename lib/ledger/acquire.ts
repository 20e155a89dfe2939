import { isWithinKeyShare, type Need } from './key-share.ts'
import type { Ticks } from './ports.ts'
import type { Purse } from './purse.ts'

/** How long a request waits for money that other requests or processes may return. */
const MAX_WAIT_MS = 250
/** How long it waits at most for a process that was asked to return idle money and has not answered. */
const MAX_RECALL_WAIT_MS = 2_000
const POLL_INTERVAL_MS = 40

/** Why money cannot be had. `held`: the balance or the limit would cover the request, but requests in flight hold too much of it. */
export type RefusalReason = 'balance' | 'key_limit' | 'held' | 'key_share' | 'not_in_touch'

/** The process that waits. */
export interface AcquireHost {
  readonly ticks: Ticks
  mayAdmit(): boolean
  /** Whether the purse still belongs to this process. */
  owns(purse: Purse): boolean
}

/** Takes money from a purse that may have to be asked for or waited for, or says why it cannot be had. */
export async function acquire(purse: Purse, need: Need, isAccount: boolean, host: AcquireHost): Promise<RefusalReason | null> {
  const { amount } = need
  purse.usedAt = host.ticks()
  purse.wanted += amount
  try {
    const refused = await waitForMoney(purse, need, isAccount, host)
    return refused === 'short' ? (isAccount ? 'balance' : 'key_limit') : refused
  } finally {
    purse.wanted -= amount
  }
}

async function waitForMoney(
  purse: Purse,
  need: Need,
  isAccount: boolean,
  host: AcquireHost,
): Promise<'short' | 'held' | 'key_share' | 'not_in_touch' | null> {
  const { amount, keyId } = need
  const arrived = host.ticks()
  const queryCountBefore = purse.queryCount
  for (;;) {
    if (!host.owns(purse)) return 'not_in_touch'
    if (purse.mustReturn) await purse.returnAvailable(false)
    const withinKeyShare = !isAccount || isWithinKeyShare(purse, need)
    if (withinKeyShare && purse.available >= amount) {
      purse.hold(keyId, amount)
      return null
    }
    const waited = host.ticks() - arrived
    if (withinKeyShare) {
      const answer = await purse.requestMoney(amount)
      if (!answer || !host.mayAdmit()) return 'not_in_touch'
      // Either money was found but other requests took it first, or the question is older than this request.
      if (purse.available >= amount || answer.granted > 0n || answer.number <= queryCountBefore) continue
      // Money that exists but no process holds is held by tasks, which take too long to wait for.
      if (!answer.elsewhere && purse.held === 0n) return answer.balance >= amount ? 'held' : 'short'
      if (waited > (answer.unheard ? MAX_RECALL_WAIT_MS : MAX_WAIT_MS)) return answer.balance >= amount ? 'held' : 'short'
    } else if (waited > MAX_WAIT_MS) return 'key_share'
    await purse.waitForChange(POLL_INTERVAL_MS)
  }
}
