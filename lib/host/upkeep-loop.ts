import { createEmailNotices } from '../services/alerts/email-notices.ts'
import type { Notices } from '../services/alerts/notices-ports.ts'
import type { Mailer } from '../services/mail/mail-ports.ts'
import type { ConsolePorts } from '../services/ports.ts'

interface Log {
  warn(fields: object, message: string): void
}

/** What upkeep needs. */
export interface UpkeepParts {
  ports: ConsolePorts
  mail: Mailer
  log: Log
}

/** Runs all steps every `intervalMs`, one after the other, even if earlier steps fail. Returns a function that stops it. */
export function runPeriodically(
  intervalMs: number,
  steps: Record<string, () => Promise<unknown>>,
  log: Log,
): () => Promise<void> {
  let running: Promise<void> | null = null
  const round = async () => {
    for (const [step, run] of Object.entries(steps))
      await run().catch((error: unknown) => log.warn({ step, error: String(error) }, 'an upkeep step is retried'))
    running = null
  }
  const timer = setInterval(() => {
    running ??= round()
  }, intervalMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

/** Combines several stop functions into one. */
export const combineStops = (stops: readonly (() => Promise<void>)[]) => async (): Promise<void> => {
  await Promise.all(stops.map((stop) => stop()))
}

/** The notices of upkeep, sent by mail. */
export const createNotices = (ports: ConsolePorts, mail: Mailer): Notices =>
  createEmailNotices({
    mail,
    holders: ports.holders,
    preferences: ports.emailPreferences,
    billingUrl: () => ports.billing.billingUrl(),
    alertsUrl: () => ports.billing.alertsUrl(),
  })
