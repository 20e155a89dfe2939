import type { CreateWebhookInput, WebhookSecret } from '#lib/contracts/webhooks'
import { messageWith } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { webhookRow } from './webhook-row.ts'
import { parseWebhookUrl } from './webhook-url.ts'

const MAX_WEBHOOKS = 10

/**
 * Adds an endpoint. The secret is only in this answer and cannot be read later.
 * Errors: `invalid_input` (url), `conflict` at ten endpoints.
 */
export async function createWebhook({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'ids' | 'webhooks' | 'webhookSecrets'>
  input: CreateWebhookInput
}): Promise<WebhookSecret> {
  const { accountId } = ctx.user
  const fields = { url: parseWebhookUrl(input.url), description: input.description, events: [...new Set(input.events)] }
  const created = { ...fields, id: ctx.ids.create('hook'), accountId, secret: ctx.webhookSecrets.create(), at: ctx.clock.now() }
  if (!(await ctx.webhooks.create(created, MAX_WEBHOOKS)))
    throw new ServiceError(
      'conflict',
      messageWith('An account can have at most {most} endpoints. Remove one that is no longer used.', { most: MAX_WEBHOOKS }),
    )
  const record = { ...created, enabled: true, disabledReason: null, failingSince: null, oldSecretUntil: null }
  return { webhook: webhookRow({ ...record, createdAt: created.at }), secret: created.secret }
}
