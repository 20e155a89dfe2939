import { eraseClosedAccounts } from '../services/account/erase-closed-accounts.ts'
import { sendNotices } from '../services/alerts/send-notices.ts'
import { deleteCustomers, detachCards } from '../services/billing/clean-up-stripe.ts'
import { runAutoTopUps } from '../services/billing/run-auto-top-ups.ts'
import { combineStops, createNotices, runPeriodically, type UpkeepParts } from './upkeep-loop.ts'

const INTERVAL_MS = 60_000
/** One query for the few accounts with automatic top-ups. Requests that spend money need not check for it. */
const TOP_UP_INTERVAL_MS = 5_000

/**
 * Every few seconds, tops up accounts whose holders want automatic top-ups. Every minute, pays debts from money that came back,
 * sends holders the notices that they asked for, and deletes what closed accounts left behind. Returns a function that stops it.
 */
export function startBillingUpkeep({ ports, mail, log }: UpkeepParts, intervalMs: number = INTERVAL_MS): () => Promise<void> {
  const ctx = { ...ports, notices: createNotices(ports, mail) }
  const steps = {
    debts: () => ports.billingAccounts.collectDebts(ports.clock.now()),
    alerts: () => ports.spendingAlerts.raise(ports.clock.now()),
    lowBalances: () => ports.billingAccounts.markLowBalances(ports.clock.now()),
    cards: () => detachCards({ ctx }),
    customers: () => deleteCustomers({ ctx }),
  }
  return combineStops([
    runPeriodically(intervalMs, steps, log),
    // Separate rounds: mails and deletions may take long, debts must not wait for them.
    runPeriodically(intervalMs, { notices: () => sendNotices({ ctx }) }, log),
    runPeriodically(intervalMs, { closed: () => eraseClosedAccounts({ ctx }) }, log),
    runPeriodically(Math.min(intervalMs, TOP_UP_INTERVAL_MS), { topUps: () => runAutoTopUps({ ctx }) }, log),
  ])
}
