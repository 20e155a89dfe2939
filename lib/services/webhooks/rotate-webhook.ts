import type { WebhookSecret } from '#lib/contracts/webhooks'
import { DAY_MS } from '../../domain/time-units.ts'
import type { Ctx } from '../ports.ts'
import { createWebhookNotFoundError } from './webhook-not-found.ts'
import { webhookRow } from './webhook-row.ts'

/** How long both secrets sign. */
const OVERLAP_MS = DAY_MS

/** Gives an endpoint a new secret. For a day, deliveries are also signed with the old one. Errors: `not_found`. */
export async function rotateWebhook({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'webhooks' | 'webhookSecrets'>
  input: { id: string }
}): Promise<WebhookSecret> {
  const secret = ctx.webhookSecrets.create()
  const until = new Date(ctx.clock.now().getTime() + OVERLAP_MS)
  const record = await ctx.webhooks.rotate(ctx.user.accountId, input.id, secret, until)
  if (!record) throw createWebhookNotFoundError()
  return { webhook: webhookRow(record), secret }
}
