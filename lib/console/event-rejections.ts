import type { EventRejection } from '../services/billing/billing-ports.ts'
import type { Clock } from '../services/ports.ts'
import type { ConsoleLog } from './problem.ts'

const LOG_INTERVAL_MS = 60_000

const MESSAGES: Record<EventRejection, string> = {
  wrong_signature: 'Stripe events were rejected: their signature is wrong; check STRIPE_WEBHOOK_SECRET if they came from Stripe',
  too_old: 'Stripe events were rejected: they were signed more than five minutes ago; check the clock of this machine',
}

interface EventRejectionsParts {
  clock: Clock
  log: ConsoleLog
  /** Counts a rejection in the metrics. */
  count(reason: EventRejection): void
}

/**
 * Reports events that are not accepted as Stripe's. Anybody can send such events, so each reason is logged at most once a minute,
 * with the number of rejections since the last time, and without anything that the sender wrote.
 */
export function createEventRejections({ clock, log, count }: EventRejectionsParts): { report(reason: EventRejection): void } {
  const unlogged: Record<EventRejection, number> = { wrong_signature: 0, too_old: 0 }
  const loggedAtMs: Partial<Record<EventRejection, number>> = {}
  return {
    report(reason) {
      count(reason)
      unlogged[reason]++
      const nowMs = clock.now().getTime()
      const lastMs = loggedAtMs[reason]
      if (lastMs !== undefined && nowMs - lastMs < LOG_INTERVAL_MS) return
      log.warn({ reason, events: unlogged[reason] }, MESSAGES[reason])
      loggedAtMs[reason] = nowMs
      unlogged[reason] = 0
    },
  }
}
