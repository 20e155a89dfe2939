import type { ConsolePorts } from '../ports.ts'
import { type CatchUpResult, catchUpPayments } from './catch-up-payments.ts'

type Ctx = Pick<ConsolePorts, 'clock' | 'billing' | 'stripe' | 'autoTopUps' | 'payments' | 'cards'>

export interface AutoCatchUpResult extends Pick<CatchUpResult, 'done' | 'asks'> {
  /** Payments that no event has ended. */
  overdue: { id: string; accountId: string; createdAt: Date }[]
}

/**
 * Looks up automatic payments that have been on their way for minutes, in case their events were missed: applies the events
 * about them that Stripe lists, as catchUpPayments() does. Any number of processes may do this at once. Rejects while Stripe or
 * the database does not answer; what was claimed is then looked up later.
 */
export async function catchUpAutoPayments({ ctx }: { ctx: Ctx }): Promise<AutoCatchUpResult> {
  if (!ctx.stripe.configured) return { done: [], asks: [], overdue: [] }
  const claimed = await ctx.autoTopUps.claimOverdue(ctx.clock.now())
  if (claimed.length === 0) return { done: [], asks: [], overdue: [] }
  const { done, asks } = await catchUpPayments({
    ctx,
    input: {
      since: new Date(Math.min(...claimed.map(({ createdAt }) => createdAt.getTime()))),
      currency: ctx.billing.currency,
      autoPaymentIds: new Set(claimed.map(({ id }) => id)),
    },
  })
  const found = await Promise.all(claimed.map(({ accountId, id }) => ctx.payments.find(accountId, id)))
  return { done, asks, overdue: claimed.filter((_, place) => found[place]?.state === 'processing') }
}
