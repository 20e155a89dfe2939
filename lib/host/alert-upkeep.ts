import { tellNotices } from '../services/alerts/tell-notices.ts'
import { askBalances } from '../services/operator/ask-balances.ts'
import { runAlerts } from '../services/operator/run-alerts.ts'
import { allOf, every, noticesOf, type UpkeepParts } from './rounds.ts'

const ROUND_MS = 10_000
const MAIL_MS = 1_000

/**
 * Every ten seconds, asks vendors whose turn it is for their balances, looks whether rules of alerts hold, and mails what
 * is new at once. Answers what ends it.
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
  // Apart: neither a vendor nor a mail server that hangs keeps a rule from being looked at.
  return allOf([
    every(roundMs, { alerts }, log),
    every(roundMs, { balances: () => askBalances({ ctx }) }, log),
    every(Math.min(roundMs, MAIL_MS), { mails }, log),
  ])
}
