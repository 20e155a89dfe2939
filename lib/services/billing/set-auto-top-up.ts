import type { AutoTopUpInput, AutoTopUpView } from '#lib/contracts/auto-top-up'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { getAutoTopUp } from './get-auto-top-up.ts'
import { toPayableMinor } from './payable-minor.ts'

/**
 * Switches automatic top-up on with these amounts, or off. Earlier failures are cleared, so that it is tried immediately.
 * Errors: `invalid_input` (amountNano, ceilingNano), `conflict` without a saved card, `unavailable` without Stripe keys.
 */
export async function setAutoTopUp({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'cards' | 'autoTopUps' | 'stripe' | 'purses' | 'accounts' | 'wallet' | 'billing'>
  input: AutoTopUpInput
}): Promise<AutoTopUpView> {
  const { accountId } = ctx.user
  if (!input.enabled) {
    await ctx.autoTopUps.set(accountId, null, ctx.clock.now())
    return getAutoTopUp({ ctx })
  }
  if (!ctx.stripe.configured) throw new ServiceError('unavailable', 'Payments are not set up. Ask the operator for credit.')
  const [thresholdNano, amountNano, ceilingNano] = [input.thresholdNano, input.amountNano, input.ceilingNano].map(BigInt) as [
    bigint,
    bigint,
    bigint,
  ]
  toPayableMinor(amountNano, ctx.billing)
  if (ceilingNano < amountNano)
    throw invalidField('ceilingNano', 'The monthly limit must cover at least one payment. Raise it, or pay less each time.')
  if (!(await ctx.autoTopUps.set(accountId, { thresholdNano, amountNano, ceilingNano }, ctx.clock.now())))
    throw new ServiceError('conflict', 'There is no saved card to pay with. Save one first.')
  return getAutoTopUp({ ctx })
}
