import { eraseClosedAccounts } from '../services/account/erase-closed-accounts.ts'
import { sendNotices } from '../services/alerts/send-notices.ts'
import { catchUpWaitingPayments } from '../services/billing/catch-up-waiting-payments.ts'
import { deleteCustomers, detachCards } from '../services/billing/clean-up-stripe.ts'
import { runAutoTopUps } from '../services/billing/run-auto-top-ups.ts'
import type { ConsolePorts } from '../services/ports.ts'
import { combineStops, createNotices, runPeriodically, type UpkeepParts } from './upkeep-loop.ts'

const INTERVAL_MS = 60_000
/** One query for the few accounts with automatic top-ups. Requests that spend money need not check for it. */
const TOP_UP_INTERVAL_MS = 5_000

/**
 * Looks up payments whose events did not arrive, and logs what came of it. An automatic payment that stays on its way is logged
 * once, and so is an event that a person has to look at.
 */
function createMissedEventsStep(ctx: ConsolePorts, log: UpkeepParts['log']): () => Promise<void> {
  const logged = new Set<string>()
  const isNew = (name: string): boolean => !logged.has(name) && logged.add(name).size > 0
  return async () => {
    const { done, asks, overdue } = await catchUpWaitingPayments({ ctx })
    for (const { mark, change } of done)
      log.warn(
        { event: mark.id, type: mark.type, payment: 'paymentId' in change ? change.paymentId : undefined },
        "an event of a payment was taken from Stripe's list of events, because it had not arrived; check the webhook endpoint",
      )
    for (const { mark, why } of asks.filter((ask) => isNew(ask.mark.id)))
      log.warn({ event: mark.id, type: mark.type, why }, 'a Stripe event that did not arrive needs a person to look at it')
    for (const { id, accountId, createdAt } of overdue.filter((payment) => isNew(payment.id)))
      log.warn(
        { payment: id, account: accountId, since: createdAt.toISOString() },
        'an automatic payment is on its way for long, and Stripe lists no event that ends it; look it up in its dashboard',
      )
  }
}

/**
 * Every few seconds, tops up accounts whose holders want automatic top-ups. Every minute, pays debts from money that came back,
 * sends holders the notices that they asked for, looks up payments whose events were missed, and deletes what closed accounts
 * left behind. Returns a function that stops it.
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
    runPeriodically(intervalMs, { missedEvents: createMissedEventsStep(ctx, log) }, log),
    runPeriodically(intervalMs, { closed: () => eraseClosedAccounts({ ctx }) }, log),
    runPeriodically(Math.min(intervalMs, TOP_UP_INTERVAL_MS), { topUps: () => runAutoTopUps({ ctx }) }, log),
  ])
}
