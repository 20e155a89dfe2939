import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { detachCards } from './leave-stripe.ts'

/**
 * Takes the saved card away here at once, and lets go of it at Stripe now or as soon as Stripe answers. Automatic top-up is
 * switched off with it. Errors: `not_found`.
 */
export async function removeCard({ ctx }: { ctx: Ctx<'clock' | 'cards' | 'stripe'> }): Promise<Record<string, never>> {
  if (!(await ctx.cards.remove(ctx.user.accountId, ctx.clock.now())))
    throw new ServiceError('not_found', 'There is no saved card.')
  await detachCards({ ctx })
  return {}
}
