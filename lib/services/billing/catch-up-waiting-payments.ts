import { MINUTE_MS } from '../../domain/time-units.ts'
import type { ConsolePorts } from '../ports.ts'
import type { WaitingPayment } from './billing-ports.ts'
import { type CatchUpResult, catchUpPayments } from './catch-up-payments.ts'

type Ctx = Pick<ConsolePorts, 'clock' | 'billing' | 'stripe' | 'payments' | 'cards'>

/** A younger event is probably on its way. */
const DELIVERY_MS = MINUTE_MS

export interface WaitingCatchUpResult extends Pick<CatchUpResult, 'done' | 'asks'> {
  /** Automatic payments that no event has ended. Pages can stay open, and banks can take days. */
  overdue: WaitingPayment[]
}

/**
 * Looks up payments that have been waiting for minutes, in case their events were missed or not accepted: applies the events about
 * them that Stripe lists, as catchUpPayments() does. Any number of processes may do this at once. Rejects while Stripe or the
 * database does not answer; what was claimed is then looked up later.
 */
export async function catchUpWaitingPayments({ ctx }: { ctx: Ctx }): Promise<WaitingCatchUpResult> {
  if (!ctx.stripe.configured) return { done: [], asks: [], overdue: [] }
  const at = ctx.clock.now()
  const claimed = await ctx.payments.claimWaiting(at)
  if (claimed.length === 0) return { done: [], asks: [], overdue: [] }
  const { done, asks } = await catchUpPayments({
    ctx,
    input: {
      since: new Date(Math.min(...claimed.map(({ createdAt }) => createdAt.getTime()))),
      currency: ctx.billing.currency,
      only: { paymentIds: new Set(claimed.map(({ id }) => id)), until: new Date(at.getTime() - DELIVERY_MS) },
    },
  })
  const automatic = claimed.filter((payment) => payment.automatic)
  const found = await Promise.all(automatic.map(({ accountId, id }) => ctx.payments.find(accountId, id)))
  return { done, asks, overdue: automatic.filter((_, place) => found[place]?.state === 'processing') }
}
