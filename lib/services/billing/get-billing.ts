import type { Billing } from '#lib/contracts/billing'
import { currencyOf, stepNano } from '../../domain/currency.ts'
import type { Ctx } from '../ports.ts'
import { paymentView } from './get-payment.ts'

/** The billing page's data above its list of transactions. */
export async function getBilling({
  ctx,
}: {
  ctx: Ctx<'purses' | 'payments' | 'billingAccounts' | 'billing' | 'stripe'>
}): Promise<Billing> {
  const { accountId, email } = ctx.user
  const [purse, processing, account] = await Promise.all([
    ctx.purses.sums(accountId),
    ctx.payments.processing(accountId),
    ctx.billingAccounts.find(accountId),
  ])
  const currency = currencyOf(ctx.billing.currency)
  return {
    balanceNano: purse.balanceNano.toString(),
    owedNano: purse.owedNano.toString(),
    currency: ctx.billing.currency,
    payable: ctx.stripe.configured,
    mail: ctx.billing.mail,
    email,
    minNano: ctx.billing.topUpMinNano.toString(),
    maxNano: ctx.billing.topUpMaxNano.toString(),
    stepNano: (currency ? stepNano(currency) : 1n).toString(),
    lowBalanceNano: account.lowBalanceNano?.toString() ?? null,
    webhookUrl: ctx.billing.webhookUrl(),
    processing: processing.map((row) => paymentView(row, 0n)),
  }
}
