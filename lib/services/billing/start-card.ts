import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'

/**
 * Makes a Stripe page to save a card at. The card is saved here when Stripe's signed event says so. Errors:
 * `rate_limit_exceeded`, `unavailable` without Stripe keys or while Stripe does not answer.
 */
export async function startCard({
  ctx,
}: {
  ctx: Ctx<'limits' | 'billing' | 'stripe' | 'billingAccounts'>
}): Promise<{ url: string }> {
  const { accountId, email } = ctx.user
  if (!ctx.stripe.configured) throw new ServiceError('unavailable', 'Payments are not set up. Ask the operator for credit.')
  const waitMs = await ctx.limits.topUpAccount.take(accountId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const known = await ctx.billingAccounts.find(accountId)
  const page = ctx.billing.billingUrl()
  const { url, customerId } = await ctx.stripe.createCardPage({
    accountId,
    email,
    customerId: known.customerId,
    successUrl: `${page}?card=saved`,
    cancelUrl: page,
  })
  if (customerId !== known.customerId) await ctx.billingAccounts.setCustomer(accountId, customerId)
  return { url }
}
