import type pg from 'pg'
import type { LogPort } from '../gateway/ports.ts'
import { composeWebhookDisabledEmail } from '../services/mail/emails.ts'
import type { Mailer } from '../services/mail/mail-ports.ts'
import { deliverWebhook } from '../services/webhooks/deliver-webhook.ts'
import type { DueDelivery, WebhookPost } from '../services/webhooks/webhook-ports.ts'
import { createHolders } from '../store/holders.ts'
import type { Keyring } from '../store/seal.ts'
import { createWebhookQueue, SLOW_WEBHOOK_JOB, WEBHOOK_JOB } from '../store/webhook-queue.ts'
import { type JobRunner, runJobs } from './job-runner.ts'

const UPKEEP_INTERVAL_MS = 30_000
/** How long deliveries stay in the log. */
const RETENTION_MS = 30 * 24 * 3600 * 1000

export interface WebhookParts {
  pool: pg.Pool
  sealing: Pick<Keyring, 'open'>
  post: WebhookPost
  mail: Mailer
  log: LogPort
  /** The page with the endpoints, as browsers reach it. */
  pageUrl: string
  now?: () => Date
  /** Milliseconds of a monotonic clock. */
  ticks?: () => number
  /** Whether this process looks after lost deliveries and old events. */
  upkeep: boolean
}

/** Delivers webhooks as their jobs come up, until it is stopped. */
export async function openWebhooks(parts: WebhookParts): Promise<JobRunner> {
  const { pool, sealing, post, mail, log, now = () => new Date(), ticks = () => performance.now() } = parts
  const webhookQueue = createWebhookQueue(pool, sealing)
  const holders = createHolders(pool)
  async function notifySwitchedOff({ accountId, url }: DueDelivery, reason: 'failing' | 'gone'): Promise<void> {
    const holder = await holders.find(accountId)
    if (!holder) return
    await mail.send(composeWebhookDisabledEmail(holder, url, reason, parts.pageUrl)).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the holder of an endpoint could not be told that it was switched off')
    })
  }
  const ctx = { clock: { now }, ticks, webhookQueue, webhookPost: post, notifyDisabled: notifySwitchedOff }
  const runUpkeep = async () => {
    const revived = await webhookQueue.requeueLost()
    if (revived > 0) log.info({ count: revived }, 'webhook deliveries had lost their job and were queued again')
    await webhookQueue.sweep(new Date(now().getTime() - RETENTION_MS))
  }
  const timer = parts.upkeep
    ? setInterval(() => {
        runUpkeep().catch((error: unknown) => log.warn({ error: String(error) }, 'the upkeep of webhooks waits for the database'))
      }, UPKEEP_INTERVAL_MS)
    : null
  timer?.unref()
  const deliver = (patient: boolean) => async (payload: unknown) => {
    const id = String((payload as { id?: unknown }).id)
    await deliverWebhook({ ctx, input: { id, patient } }).catch((error: unknown) => {
      log.warn({ delivery: id, error: String(error) }, 'a webhook could not be delivered; it is retried')
      throw error
    })
  }
  const runners = await Promise.all([
    runJobs({ pool, log, runnerName: 'webhooks', jobs: { [WEBHOOK_JOB]: deliver(false) } }),
    runJobs({ pool, log, runnerName: 'slowWebhooks', jobs: { [SLOW_WEBHOOK_JOB]: deliver(true) } }),
  ])
  return {
    async stop() {
      if (timer) clearInterval(timer)
      await Promise.all(runners.map((runner) => runner.stop()))
    },
  }
}
