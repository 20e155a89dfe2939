import { sendNotices } from '../services/alerts/send-notices.ts'
import { fetchVendorBalances } from '../services/operator/ask-balances.ts'
import { runAlerts } from '../services/operator/run-alerts.ts'
import { combineStops, createNotices, runPeriodically, type UpkeepParts } from './upkeep-loop.ts'

const INTERVAL_MS = 10_000
const MAIL_INTERVAL_MS = 1_000

/**
 * Every ten seconds, asks vendors for the balances that are due, checks the alert rules, and mails new alerts at once. Returns a
 * function that stops it.
 */
export function startAlertUpkeep({ ports, mail, log }: UpkeepParts, intervalMs: number = INTERVAL_MS): () => Promise<void> {
  const ctx = { ...ports, notices: createNotices(ports, mail) }
  let hasUnsentAlerts = false
  const alerts = async () => {
    const changedCount = await runAlerts({ ctx })
    if (changedCount === 0) return
    log.warn({ told: changedCount }, 'alerts began or ended')
    hasUnsentAlerts = true
  }
  const mails = async () => {
    if (!hasUnsentAlerts) return
    hasUnsentAlerts = false
    await sendNotices({ ctx })
  }
  // Separate rounds, so that neither a vendor nor a mail server that hangs delays the alert rules.
  return combineStops([
    runPeriodically(intervalMs, { alerts }, log),
    runPeriodically(intervalMs, { balances: () => fetchVendorBalances({ ctx }) }, log),
    runPeriodically(Math.min(intervalMs, MAIL_INTERVAL_MS), { mails }, log),
  ])
}
