import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'

/**
 * Sends the event of a delivery to its endpoint again, under the same event id. Errors: `not_found`, `conflict` while the
 * endpoint is switched off, `rate_limit_exceeded`.
 */
export async function resendDelivery({
  ctx,
  input,
}: {
  ctx: Ctx<'limits' | 'webhooks'>
  input: { id: string }
}): Promise<{ deliveries: number }> {
  const { accountId } = ctx.user
  const waitMs = await ctx.limits.webhookAccount.take(accountId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const sent = await ctx.webhooks.resend(accountId, input.id)
  if (sent === null) throw new ServiceError('not_found', 'There is no such delivery.')
  if (!sent) throw new ServiceError('conflict', 'This endpoint is turned off. Turn it on first.')
  return { deliveries: 1 }
}
