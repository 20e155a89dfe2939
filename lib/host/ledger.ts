import { randomBytes } from 'node:crypto'
import { ID_RANDOM_BYTES, newId } from '../domain/ids.ts'
import { Committer } from '../ledger/committer.ts'
import { Membership } from '../ledger/membership.ts'
import type { LedgerLog, LedgerStore, Ticks } from '../ledger/ports.ts'
import { Wallet } from '../ledger/wallet.ts'
import { isTransient } from '../store/transient.ts'

/**
 * Builds the ledger of one process: its wallet, its group commit, and its membership among the processes. `leaseLifetimeMs` is how long a
 * process that sends no heartbeat keeps what it leased. `ticks` is its monotonic clock.
 */
export function buildLedger(store: LedgerStore, log: LedgerLog, leaseLifetimeMs: number, ticks: Ticks = () => performance.now()) {
  const committer = new Committer({
    store,
    isTransient,
    log,
    ticks,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  })
  const membership: Membership = new Membership({
    store,
    log,
    ticks,
    newOwner: () => newId('proc', Date.now(), randomBytes(ID_RANDOM_BYTES)),
    lifetimeMs: leaseLifetimeMs,
    events: {
      onRestart: (owner) => wallet.restart(owner),
      onRecall: (purseId) => wallet.recall(purseId),
      onFailover: () => committer.repost(),
      onHeartbeat: (sentAt) => {
        committer.confirmTimeline(sentAt)
        // Not awaited, so the next heartbeat does not wait for leases.
        wallet
          .returnIdle()
          .catch((error: unknown) => log.warn({ error: String(error) }, 'giving idle leases back waits for the database'))
      },
    },
  })
  const wallet: Wallet = new Wallet({
    store,
    log,
    ticks,
    isTransient,
    mayAdmit: () => membership.mayAdmit(),
    onSwept: (owner) => {
      membership
        .rejoin(owner)
        .catch((error: unknown) => log.warn({ error: String(error) }, 'registering again waits for the database'))
    },
  })
  return { committer, membership, wallet }
}
