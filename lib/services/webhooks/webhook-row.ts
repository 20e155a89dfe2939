import type { DeliveryRow, WebhookEventType, WebhookRow } from '#lib/contracts/webhooks'
import type { DeliveryRecord, WebhookRecord } from './webhook-ports.ts'

/** An endpoint as the console shows it. */
export const webhookRow = (record: WebhookRecord): WebhookRow => ({
  id: record.id,
  url: record.url,
  description: record.description,
  events: record.events as WebhookEventType[],
  enabled: record.enabled,
  disabledReason: record.disabledReason,
  failingSince: record.failingSince?.toISOString() ?? null,
  oldSecretUntil: record.oldSecretUntil?.toISOString() ?? null,
  createdAt: record.createdAt.toISOString(),
})

/** A delivery as the console shows it. */
export const deliveryRow = (record: DeliveryRecord): DeliveryRow => ({
  ...record,
  createdAt: record.createdAt.toISOString(),
  nextAt: record.nextAt?.toISOString() ?? null,
  attempts: record.attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
})
