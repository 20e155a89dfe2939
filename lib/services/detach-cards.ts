import type { ConsolePorts } from './ports.ts'
import { asServiceError } from './service-error.ts'

/** Lets go at Stripe of cards that were replaced or removed here. What Stripe does not answer for is tried again later. */
export async function detachCards({ ctx }: { ctx: Pick<ConsolePorts, 'cards' | 'stripe'> }): Promise<number> {
  if (!ctx.stripe.configured) return 0
  let done = 0
  for (const methodId of await ctx.cards.left()) {
    try {
      await ctx.stripe.detach(methodId)
    } catch (error) {
      if (asServiceError(error)?.code === 'unavailable') return done
      throw error
    }
    await ctx.cards.detached(methodId)
    done++
  }
  return done
}
