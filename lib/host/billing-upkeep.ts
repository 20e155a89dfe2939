import { forgetClosed } from '../services/account/forget-closed.ts'
import { tellNotices } from '../services/alerts/tell-notices.ts'
import { deleteCustomers, detachCards } from '../services/billing/leave-stripe.ts'
import { runAutoTopUps } from '../services/billing/run-auto-top-ups.ts'
import { allOf, every, noticesOf, type UpkeepParts } from './rounds.ts'

const ROUND_MS = 60_000
/** One look at the few accounts that are topped up by themselves: nothing has to be done for it where money is spent. */
const TOP_UP_ROUND_MS = 5_000

/**
 * Every few seconds, tops up accounts whose holders want it; every minute, pays debts out of money that came back, and
 * tells holders what they wanted to know, and deletes what closed accounts have left. Answers what ends it.
 */
export function startBillingUpkeep({ ports, mail, log }: UpkeepParts, roundMs: number = ROUND_MS): () => Promise<void> {
  const ctx = { ...ports, notices: noticesOf(ports, mail) }
  const steps = {
    debts: () => ports.billingAccounts.collectDebts(ports.clock.now()),
    alerts: () => ports.spendingAlerts.raise(ports.clock.now()),
    lowBalances: () => ports.billingAccounts.raiseLow(ports.clock.now()),
    cards: () => detachCards({ ctx }),
    customers: () => deleteCustomers({ ctx }),
  }
  return allOf([
    every(roundMs, steps, log),
    // Apart: mails and deletions may take their time, and debts may not.
    every(roundMs, { notices: () => tellNotices({ ctx }) }, log),
    every(roundMs, { closed: () => forgetClosed({ ctx }) }, log),
    every(Math.min(roundMs, TOP_UP_ROUND_MS), { topUps: () => runAutoTopUps({ ctx }) }, log),
  ])
}
