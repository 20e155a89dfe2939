import { tellNotices } from '../services/alerts/tell-notices.ts'
import { askBalances } from '../services/operator/ask-balances.ts'
import { runAlerts } from '../services/operator/run-alerts.ts'
import { allOf, every, noticesOf, type UpkeepParts } from './rounds.ts'

const ROUND_MS = 10_000
const MAIL_MS = 1_000

/**
 * Every ten seconds, asks vendors for the balances that are due, checks the alert rules, and mails new alerts at once. Returns a
 * function that stops it.
 */
export function startAlertUpkeep({ ports, mail, log }: UpkeepParts, roundMs: number = ROUND_MS): () => Promise<void> {
  const ctx = { ...ports, notices: noticesOf(ports, mail) }
  let fresh = false
  const alerts = async () => {
    const told = await runAlerts({ ctx })
    if (told === 0) return
    log.warn({ told }, 'alerts began or ended')
    fresh = true
  }
  const mails = async () => {
    if (!fresh) return
    fresh = false
    await tellNotices({ ctx })
  }
  // Separate rounds, so that neither a vendor nor a mail server that hangs delays the alert rules.
  return allOf([
    every(roundMs, { alerts }, log),
    every(roundMs, { balances: () => askBalances({ ctx }) }, log),
    every(Math.min(roundMs, MAIL_MS), { mails }, log),
  ])
}
