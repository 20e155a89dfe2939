import type { UpdateWebhookInput, WebhookRow } from '#lib/contracts/webhooks'
import type { Ctx } from '../ports.ts'
import { createWebhookNotFoundError } from './webhook-not-found.ts'
import type { WebhookChanges } from './webhook-ports.ts'
import { webhookRow } from './webhook-row.ts'
import { parseWebhookUrl } from './webhook-url.ts'

/**
 * Changes the named values of an endpoint. Switching it off drops its pending deliveries; switching it on clears its failures.
 * Errors: `invalid_input` (url), `not_found`.
 */
export async function updateWebhook({
  ctx,
  input: { id, url, description, events, enabled },
}: {
  ctx: Ctx<'webhooks'>
  input: UpdateWebhookInput
}): Promise<WebhookRow> {
  const changes: WebhookChanges = {
    ...(url === undefined ? {} : { url: parseWebhookUrl(url) }),
    ...(description === undefined ? {} : { description }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(enabled === undefined ? {} : { enabled }),
  }
  const record = await ctx.webhooks.update(ctx.user.accountId, id, changes)
  if (!record) throw createWebhookNotFoundError()
  return webhookRow(record)
}
