import { deleteCustomers, detachCards } from '../services/leave-stripe.ts'
import { createMailNotices } from '../services/mail-notices.ts'
import type { ConsolePorts } from '../services/ports.ts'
import { runAutoTopUps } from '../services/run-auto-top-ups.ts'
import { tellNotices } from '../services/tell-notices.ts'
import type { MailPort } from './mail.ts'

const ROUND_MS = 60_000
/** One look at the few accounts that are topped up by themselves: nothing has to be done for it where money is spent. */
const TOP_UP_ROUND_MS = 5_000

interface Log {
  warn(fields: object, message: string): void
}

interface Parts {
  ports: ConsolePorts
  mail: MailPort
  log: Log
}

/** Does every step each time, one after the other, whatever becomes of those before. Answers what ends it. */
function every(roundMs: number, steps: Record<string, () => Promise<unknown>>, log: Log): () => Promise<void> {
  let running: Promise<void> | null = null
  const round = async () => {
    for (const [step, run] of Object.entries(steps))
      await run().catch((error: unknown) =>
        log.warn({ step, error: String(error) }, 'a step of the upkeep of billing is tried again'),
      )
    running = null
  }
  const timer = setInterval(() => {
    running ??= round()
  }, roundMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

/**
 * Every few seconds, tops up accounts whose holders want it; every minute, pays debts out of money that came back, and
 * tells holders what they wanted to know. Answers what ends it.
 */
export function startBillingUpkeep({ ports, mail, log }: Parts, roundMs: number = ROUND_MS): () => Promise<void> {
  const notices = createMailNotices({
    mail,
    holders: ports.holders,
    wishes: ports.mailWishes,
    billingUrl: () => ports.billing.billingUrl(),
  })
  const ctx = { ...ports, notices }
  const steps = {
    debts: () => ports.billingAccounts.collectDebts(ports.clock.now()),
    alerts: () => ports.spendingAlerts.raise(ports.clock.now()),
    lowBalances: () => ports.billingAccounts.raiseLow(ports.clock.now()),
    notices: () => tellNotices({ ctx }),
    cards: () => detachCards({ ctx }),
    customers: () => deleteCustomers({ ctx }),
  }
  const stops = [
    every(roundMs, steps, log),
    every(Math.min(roundMs, TOP_UP_ROUND_MS), { topUps: () => runAutoTopUps({ ctx }) }, log),
  ]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}
