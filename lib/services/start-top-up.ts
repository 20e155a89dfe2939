import type { TopUp, TopUpInput } from '#lib/contracts/billing'
import { formatDecimal } from '../domain/money.ts'
import { payableMinor } from './payable-minor.ts'
import type { Ctx } from './ports.ts'
import { ServiceError } from './service-error.ts'
import { tooManyTries } from './too-many-tries.ts'

/**
 * Writes a payment down and makes a page of Stripe's to pay it at. Nothing is credited here: the signed event does
 * that, and nothing else. The same `requestId` is the same payment and the same page.
 * Errors: `invalid_input` (amountNano), `conflict` where the request was for another amount or is over,
 * `rate_limit_exceeded`, `unavailable` without keys of Stripe or while Stripe does not answer.
 */
export async function startTopUp({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'ids' | 'limits' | 'billing' | 'payments' | 'stripe' | 'billingAccounts'>
  input: TopUpInput
}): Promise<TopUp> {
  const { accountId, email } = ctx.user
  if (!ctx.stripe.configured) throw new ServiceError('unavailable', 'Payments are not set up. Ask the operator for credit.')
  const amountNano = BigInt(input.amountNano)
  const amountMinor = payableMinor(amountNano, ctx.billing)
  const waitMs = await ctx.limits.topUpAccount.take(accountId)
  if (waitMs !== null) throw tooManyTries(waitMs)
  const { customerId } = await ctx.billingAccounts.find(accountId)
  const payment = await ctx.payments.open({
    id: ctx.ids.create('pay'),
    accountId,
    requestId: input.requestId,
    amountNano,
    amountMinor,
    currency: ctx.billing.currency,
    saveCard: input.saveCard,
    at: ctx.clock.now(),
  })
  const same = payment.amountMinor === amountMinor && payment.saveCard === input.saveCard
  if (!same || payment.currency !== ctx.billing.currency || payment.state !== 'open')
    throw new ServiceError('conflict', 'This payment was begun before. Start a new one.')
  const page = ctx.billing.billingUrl()
  const made = await ctx.stripe.createCheckout({
    payment,
    email,
    customerId,
    title: 'Tollgate credit',
    successUrl: `${page}?payment=${payment.id}`,
    cancelUrl: `${page}?${new URLSearchParams({ cancelled: formatDecimal(amountNano), ...(input.saveCard ? { save: 'yes' } : {}) })}`,
  })
  // Before it is known whether anybody pays: Stripe has the address, and is to forget it when the account is closed.
  if (made.customerId !== null && made.customerId !== customerId)
    await ctx.billingAccounts.setCustomer(accountId, made.customerId)
  await ctx.payments.sessionMade(payment.id, made.sessionId)
  return { paymentId: payment.id, url: made.url }
}
