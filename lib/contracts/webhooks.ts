import { z } from 'zod'
import { count, pageLimit, pageSchema, time } from './common.ts'
import { beforeTimedId } from './cursor.ts'

/** The events that an endpoint can be sent. */
export const webhookEvents = ['balance.low', 'top_up.succeeded', 'top_up.failed', 'video.completed', 'spending.alert'] as const
const event = z.enum(webhookEvents)
export type WebhookEventType = z.infer<typeof event>

const fields = {
  url: z.string().trim().min(1).max(500),
  description: z.string().trim().max(200).default(''),
  events: z.array(event).min(1, { error: 'Choose at least one event.' }).max(webhookEvents.length),
}

/** POST /api/webhooks */
export const createWebhookInput = z.strictObject(fields)
export type CreateWebhookInput = z.infer<typeof createWebhookInput>

/** PATCH /api/webhooks/{id}: only what is named changes. */
export const updateWebhookInput = z.strictObject({
  id: z.string().min(1).max(64),
  url: fields.url.optional(),
  description: z.string().trim().max(200).optional(),
  events: fields.events.optional(),
  enabled: z.boolean().optional(),
})
export type UpdateWebhookInput = z.infer<typeof updateWebhookInput>

export const webhookRow = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(event),
  enabled: z.boolean(),
  /** `holder`: switched off by hand. `failing`: after days of failures. `gone`: it answered 410. Null while it is on. */
  disabledReason: z.enum(['holder', 'failing', 'gone']).nullable(),
  failingSince: time.nullable(),
  /** Until when the old secret signs too. */
  oldSecretUntil: time.nullable(),
  createdAt: time,
})
export type WebhookRow = z.infer<typeof webhookRow>

/** GET /api/webhooks */
export const webhookList = z.object({ rows: z.array(webhookRow) })
/** POST /api/webhooks and /api/webhooks/{id}/rotate: the only time the secret is shown. */
export const webhookSecret = z.object({ webhook: webhookRow, secret: z.string() })
export type WebhookSecret = z.infer<typeof webhookSecret>

/** GET /api/webhooks/{id}/deliveries?before=&limit= : newest first. */
export const deliveryQuery = z.strictObject({
  id: z.string().min(1).max(64),
  before: beforeTimedId,
  limit: pageLimit(20, 100),
})
export type DeliveryQuery = z.infer<typeof deliveryQuery>

const attempt = z.object({
  number: count,
  at: time,
  tookMs: count,
  /** Null if there was no answer; `error` then says why. */
  status: count.nullable(),
  error: z.string().nullable(),
  /** The first kilobyte of the answer. */
  answer: z.string(),
})

export const delivery = z.object({
  id: z.string(),
  eventId: z.string(),
  /** One of `webhookEvents`, or `webhook.test`. */
  type: z.string(),
  /** `dropped`: its endpoint was switched off before the delivery ended. */
  state: z.enum(['pending', 'delivered', 'failed', 'dropped']),
  createdAt: time,
  nextAt: time.nullable(),
  body: z.string(),
  attempts: z.array(attempt),
})
export type DeliveryRow = z.infer<typeof delivery>
export const deliveryPage = pageSchema(delivery)

/** POST /api/webhooks/{id}/test and /api/webhook-deliveries/{id}/resend */
export const sendResult = z.object({ deliveries: count })
