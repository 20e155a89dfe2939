import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/time-units.ts'
import type { Clock } from '../ports.ts'
import type { DeliveryOutcome, DueDelivery, PostResponse, WebhookPost, WebhookQueue } from './webhook-ports.ts'
import { webhookHeaders } from './webhook-signature.ts'

/** Pauses between attempts: nine attempts within 24 hours of the first. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
] as const

/** An endpoint that accepted nothing for this long is switched off. */
export const DISABLE_AFTER_MS = 72 * HOUR_MS

/** An endpoint that takes this long to answer a delivery is slow, and counts as slow for SLOW_PERIOD_MS, whatever follows. */
const SLOW_THRESHOLD_MS = 2 * SECOND_MS
const SLOW_PERIOD_MS = 10 * MINUTE_MS

const HTTP_GONE = 410

export interface DeliverContext {
  clock: Clock
  /** Milliseconds of a monotonic clock. */
  ticks: () => number
  webhookQueue: WebhookQueue
  webhookPost: WebhookPost
  /** Notifies the account's holder that an endpoint was switched off. */
  notifyDisabled(delivery: DueDelivery, reason: 'failing' | 'gone'): Promise<void>
}

export interface DeliverInput {
  id: string
  /** Whether this job uses the slots reserved for slow endpoints. */
  patient: boolean
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200)

async function post(ctx: DeliverContext, due: DueDelivery, at: Date): Promise<PostResponse | { error: string }> {
  const headers = webhookHeaders(due.eventId, at, due.body, due.secrets)
  return ctx.webhookPost.post(due.url, headers, due.body).catch((error: unknown) => ({ error: reasonOf(error) }))
}

/**
 * Delivers an event once and, if that fails, records when it is retried. Only status codes 200 to 299 count as delivered: a
 * redirect leads to an address that was not asked for. Does nothing if the delivery has ended. Sets a delivery to a slow endpoint
 * aside, unless `patient`. Rejects while the database is unavailable, so that the job is retried.
 */
export async function deliverWebhook({ ctx, input }: { ctx: DeliverContext; input: DeliverInput }): Promise<void> {
  const due = await ctx.webhookQueue.findDue(input.id)
  if (!due) return
  if (due.slow && !input.patient) return ctx.webhookQueue.moveToSlow(due.id)
  const at = ctx.clock.now()
  // Not the wall clock: if it were changed in the meantime, an endpoint could count as slow.
  const beganMs = ctx.ticks()
  const answer = await post(ctx, due, at)
  const tookMs = Math.round(ctx.ticks() - beganMs)
  const status = 'error' in answer ? null : answer.status
  const delivered = status !== null && status >= 200 && status < 300
  const result: DeliveryOutcome = {
    attempt: {
      number: due.attempts + 1,
      at,
      tookMs,
      status,
      error: 'error' in answer ? answer.error : null,
      answer: 'error' in answer ? '' : answer.text,
    },
    delivered,
    retryMs: delivered ? null : (RETRY_DELAYS_MS[due.attempts] ?? null),
    slowMs: tookMs >= SLOW_THRESHOLD_MS ? SLOW_PERIOD_MS : null,
    gone: status === HTTP_GONE,
  }
  const disabledReason = await ctx.webhookQueue.recordAttempt(due, result, DISABLE_AFTER_MS)
  if (disabledReason) await ctx.notifyDisabled(due, disabledReason)
}
