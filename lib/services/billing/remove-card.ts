import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { detachCards } from './clean-up-stripe.ts'

/**
 * Removes the saved card here immediately, and detaches it at Stripe now or as soon as Stripe answers. Also switches automatic
 * top-up off. Errors: `not_found`.
 */
export async function removeCard({ ctx }: { ctx: Ctx<'clock' | 'cards' | 'stripe'> }): Promise<Record<string, never>> {
  if (!(await ctx.cards.remove(ctx.user.accountId, ctx.clock.now())))
    throw new ServiceError('not_found', 'There is no saved card.')
  await detachCards({ ctx })
  return {}
}
