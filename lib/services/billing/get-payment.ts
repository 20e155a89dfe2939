import type { PaymentView } from '#lib/contracts/billing'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import type { PaymentRecord } from './billing-ports.ts'

/** A payment as the console shows it. */
export const paymentView = ({ id, state, amountNano, createdAt }: PaymentRecord, paidOwedNano: bigint): PaymentView => ({
  id,
  state,
  amountNano: amountNano.toString(),
  paidOwedNano: paidOwedNano.toString(),
  createdAt: createdAt.toISOString(),
})

/** One payment of the account. Errors: `not_found`. */
export async function getPayment({ ctx, input }: { ctx: Ctx<'payments'>; input: { id: string } }): Promise<PaymentView> {
  const payment = await ctx.payments.find(ctx.user.accountId, input.id)
  if (!payment) throw new ServiceError('not_found', 'There is no such payment.')
  return paymentView(payment, payment.state === 'paid' ? await ctx.payments.debtPaidBy(payment.id) : 0n)
}
