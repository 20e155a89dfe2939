import type { AddAlertWebhookInput } from '#lib/contracts/operator-alerts'
import { messageWith } from '../../messages/message.ts'
import { PLATFORM_ACCOUNT_ID } from '../alerts/alert-ports.ts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { testWebhook } from '../webhooks/test-webhook.ts'
import { parseWebhookUrl } from '../webhooks/webhook-url.ts'

const MAX_WEBHOOKS = 10

/**
 * Adds an endpoint through which operators are notified. The secret is only in this answer and cannot be read later.
 * Errors: `invalid_input` (url), `conflict` at ten.
 */
export async function addAlertWebhook({
  ctx,
  input,
}: {
  ctx: Ctx<'alerts' | 'clock' | 'ids' | 'webhookSecrets'>
  input: AddAlertWebhookInput
}): Promise<{ id: string; secret: string }> {
  const hook = { id: ctx.ids.create('hook'), url: parseWebhookUrl(input.url), description: input.description }
  const secret = ctx.webhookSecrets.create()
  if (!(await ctx.alerts.addWebhook(ctx.user, { ...hook, secret, at: ctx.clock.now() }, MAX_WEBHOOKS)))
    throw new ServiceError(
      'conflict',
      messageWith('There can be at most {most} endpoints. Remove one that is no longer used.', { most: MAX_WEBHOOKS }),
    )
  return { id: hook.id, secret }
}

const createEndpointNotFoundError = () => new ServiceError('not_found', 'There is no such endpoint.')

/**
 * Switches on an endpoint that was switched off because it failed. What it missed in the meantime is not sent.
 * Errors: `not_found`, `conflict` if it is already on.
 */
export async function enableAlertWebhook({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'alerts'>
  input: { id: string }
}): Promise<{ id: string }> {
  const outcome = await ctx.alerts.enableWebhook(ctx.user, id)
  if (outcome === 'missing') throw createEndpointNotFoundError()
  if (outcome === 'already') throw new ServiceError('conflict', 'This endpoint is already on.')
  return { id }
}

/** Removes an endpoint and its pending deliveries. Errors: `not_found`. */
export async function removeAlertWebhook({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'alerts'>
  input: { id: string }
}): Promise<{ id: string }> {
  if (!(await ctx.alerts.removeWebhook(ctx.user, id))) throw createEndpointNotFoundError()
  return { id }
}

/** Sends an endpoint a test event. Errors: `not_found`, `conflict`, `rate_limit_exceeded`. */
export const testAlertWebhook = ({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'ids' | 'limits' | 'webhooks'>
  input: { id: string }
}): Promise<{ deliveries: number }> =>
  testWebhook({ ctx: { ...ctx, user: { ...ctx.user, accountId: PLATFORM_ACCOUNT_ID } }, input })
