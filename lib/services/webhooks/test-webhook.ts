import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'
import { createWebhookNotFoundError } from './webhook-not-found.ts'

/** Sends an endpoint a test event. Errors: `not_found`, `conflict` while it is switched off, `rate_limit_exceeded`. */
export async function testWebhook({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'ids' | 'limits' | 'webhooks'>
  input: { id: string }
}): Promise<{ deliveries: number }> {
  const { accountId } = ctx.user
  const found = await ctx.webhooks.find(accountId, input.id)
  if (!found) throw createWebhookNotFoundError()
  if (!found.enabled) throw new ServiceError('conflict', 'This endpoint is turned off. Turn it on first.')
  const waitMs = await ctx.limits.webhookAccount.take(accountId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const data = { message: 'This is a test. Nothing has happened.', endpoint_id: found.id, amount: '0.000000001' }
  const event = { accountId, type: 'webhook.test', source: ctx.ids.create('hook'), data }
  return { deliveries: await ctx.webhooks.emit(event, found.id) }
}
