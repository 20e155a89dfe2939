import type { Clock } from '../ports.ts'
import type { DueDelivery, PostAnswer, Tried, WebhookPost, WebhookQueue } from './webhook-ports.ts'
import { webhookHeaders } from './webhook-signature.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Pauses between tries: nine tries within 24 hours of the first. */
export const PAUSES_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
] as const

/** An endpoint that took nothing for so long is switched off. */
export const FAILING_MS = 72 * HOUR_MS

/** Whoever keeps a delivery waiting for so long is slow, and for a while counts as such whatever comes next. */
const SLOW_MS = 2 * SECOND_MS
const SLOW_FOR_MS = 10 * MINUTE_MS

const GONE = 410

export interface DeliverContext {
  clock: Clock
  /** Milliseconds of a monotonic clock. */
  ticks: () => number
  webhookQueue: WebhookQueue
  webhookPost: WebhookPost
  /** Tells the account's holder that an endpoint was switched off. */
  tellOff(delivery: DueDelivery, reason: 'failing' | 'gone'): Promise<void>
}

export interface DeliverInput {
  id: string
  /** Whether the places of the slow are those that it is delivered from. */
  patient: boolean
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200)

async function post(ctx: DeliverContext, due: DueDelivery, at: Date): Promise<PostAnswer | { error: string }> {
  const headers = webhookHeaders(due.eventId, at, due.body, due.secrets)
  return ctx.webhookPost.post(due.url, headers, due.body).catch((error: unknown) => ({ error: reasonOf(error) }))
}

/**
 * Delivers an event once, and says when it is tried again where that failed. Only answers of 200 to 299 count: a
 * redirection is an address that was not asked for. Does nothing where the delivery has ended, and sets one aside whose
 * endpoint is slow, unless `patient`. Rejects where the database is away, so that the job is taken again.
 */
export async function deliverWebhook({ ctx, input }: { ctx: DeliverContext; input: DeliverInput }): Promise<void> {
  const due = await ctx.webhookQueue.due(input.id)
  if (!due) return
  if (due.slow && !input.patient) return ctx.webhookQueue.setAside(due.id)
  const at = ctx.clock.now()
  // Not by the wall clock: where that is set meanwhile, an endpoint would count as slow.
  const beganMs = ctx.ticks()
  const answer = await post(ctx, due, at)
  const tookMs = Math.round(ctx.ticks() - beganMs)
  const status = 'error' in answer ? null : answer.status
  const delivered = status !== null && status >= 200 && status < 300
  const tried: Tried = {
    attempt: {
      number: due.attempts + 1,
      at,
      tookMs,
      status,
      error: 'error' in answer ? answer.error : null,
      answer: 'error' in answer ? '' : answer.text,
    },
    delivered,
    retryMs: delivered ? null : (PAUSES_MS[due.attempts] ?? null),
    slowMs: tookMs >= SLOW_MS ? SLOW_FOR_MS : null,
    gone: status === GONE,
  }
  const off = await ctx.webhookQueue.tried(due, tried, FAILING_MS)
  if (off) await ctx.tellOff(due, off)
}
