import type { TopUp, TopUpInput } from '#lib/contracts/billing'
import { formatDecimal } from '../../domain/money.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'
import type { PaymentRecord } from './billing-ports.ts'
import { toPayableMinor } from './payable-minor.ts'

type CheckoutCtx = Ctx<'billing' | 'payments' | 'stripe' | 'billingAccounts'>

const createAlreadyStartedError = (): ServiceError =>
  new ServiceError('conflict', 'This payment was already started. Start a new one.')

/**
 * Returns the page where a payment can be paid: the recorded one, and no other. A concurrent call that made another page is sent
 * to the page that was recorded first, because the event of another page credits nothing.
 */
async function checkoutUrlOf(ctx: CheckoutCtx, payment: PaymentRecord): Promise<string> {
  const existingUrlOf = async (sessionId: string): Promise<string> => {
    const url = await ctx.stripe.findCheckout(sessionId)
    if (url === null) throw createAlreadyStartedError()
    return url
  }
  if (payment.sessionId !== null) return existingUrlOf(payment.sessionId)
  const { accountId, email } = ctx.user
  const { customerId } = await ctx.billingAccounts.find(accountId)
  const page = ctx.billing.billingUrl()
  const cancelled = { cancelled: formatDecimal(payment.amountNano), ...(payment.saveCard ? { save: 'yes' } : {}) }
  const checkout = await ctx.stripe.createCheckout({
    payment,
    email,
    customerId,
    title: 'Tollgate credit',
    successUrl: `${page}?payment=${payment.id}`,
    cancelUrl: `${page}?${new URLSearchParams(cancelled)}`,
  })
  // Stored before it is known whether anybody pays: Stripe has the email address and must delete it when the account is closed.
  if (checkout.customerId !== null && checkout.customerId !== customerId)
    await ctx.billingAccounts.setCustomer(accountId, checkout.customerId)
  const sessionId = await ctx.payments.recordSession(payment.id, checkout.sessionId)
  return sessionId === checkout.sessionId ? checkout.url : existingUrlOf(sessionId)
}

/**
 * Records a payment and makes a Stripe page to pay it at. Only the signed event credits it. The same `requestId` is the same
 * payment and the same page.
 * Errors: `invalid_input` (amountNano), also if the account cannot be credited that much or Stripe does not accept it; `conflict`
 * if the request was for another amount or is over; `rate_limit_exceeded`; `unavailable` without Stripe keys or while Stripe does not answer.
 */
export async function startTopUp({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'ids' | 'limits' | 'billing' | 'payments' | 'stripe' | 'billingAccounts' | 'purses'>
  input: TopUpInput
}): Promise<TopUp> {
  const { accountId } = ctx.user
  if (!ctx.stripe.configured) throw new ServiceError('unavailable', 'Payments are not set up. Ask the operator for credit.')
  const amountNano = BigInt(input.amountNano)
  const amountMinor = toPayableMinor(amountNano, ctx.billing)
  const waitMs = await ctx.limits.topUpAccount.take(accountId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  if (!(await ctx.purses.canCredit(accountId, amountNano)))
    throw invalidField('amountNano', 'The balance would exceed its maximum.')
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
  if (!same || payment.currency !== ctx.billing.currency || payment.state !== 'open') throw createAlreadyStartedError()
  return { paymentId: payment.id, url: await checkoutUrlOf(ctx, payment) }
}
