import { currencyOf, stepNano, toMinor } from '../../domain/currency.ts'
import { HOUR_MS } from '../../domain/time-units.ts'
import type { ConsolePorts } from '../ports.ts'
import { asServiceError } from '../service-error.ts'
import type { AutoPayment, PayOutcome } from './card-ports.ts'

type Ctx = Pick<ConsolePorts, 'clock' | 'ids' | 'billing' | 'stripe' | 'autoTopUps'>

/**
 * Stripe remembers an idempotency key for at least a day. After that, the same call could make a second payment, so it is not
 * repeated.
 */
const IDEMPOTENCY_WINDOW_MS = 23 * HOUR_MS

async function beginDue(ctx: Ctx, at: Date): Promise<AutoPayment[]> {
  const currency = currencyOf(ctx.billing.currency)
  if (!currency) return []
  const due = await ctx.autoTopUps.listDue(at, stepNano(currency))
  const accountsToRecall = due.filter((account) => account.lent).map(({ accountId }) => accountId)
  // Money merely lent to a gateway counts as free: the gateway returns it on request.
  if (accountsToRecall.length > 0) await ctx.autoTopUps.recall(accountsToRecall)
  const started: AutoPayment[] = []
  for (const { accountId, amountNano } of due) {
    const amountMinor = toMinor(amountNano, currency)
    if (!amountMinor) continue
    const id = ctx.ids.create('pay')
    const payment = await ctx.autoTopUps.begin({ id, accountId, amountNano, amountMinor, currency: currency.code, at })
    if (payment) started.push(payment)
  }
  return started
}

/** The outcome of a payment that was begun and not finished; null if it is no longer wanted. */
async function resume(ctx: Ctx, payment: AutoPayment, at: Date): Promise<PayOutcome | null> {
  let known: PayOutcome | null
  try {
    known = await ctx.stripe.findOffSessionPayment(payment)
  } catch (error) {
    if (asServiceError(error)?.code === 'unavailable') return { outcome: 'unknown' }
    throw error
  }
  if (known) return known
  if (!payment.wanted) return null
  if (at.getTime() - payment.createdAt.getTime() > IDEMPOTENCY_WINDOW_MS)
    return { outcome: 'failed', intentId: null, reason: 'unanswered' }
  return ctx.stripe.payOffSession(payment)
}

async function recordOutcome(ctx: Ctx, payment: AutoPayment, result: PayOutcome | null): Promise<void> {
  if (result === null) return ctx.autoTopUps.discard(payment.id)
  // Only the signed event credits a payment. For a failure, the answer is sufficient.
  if (result.outcome === 'taken') return ctx.autoTopUps.recordAccepted(payment.id, result.intentId)
  if (result.outcome === 'failed')
    return ctx.autoTopUps.recordFailure(payment.id, result.reason, result.intentId, ctx.clock.now())
}

/**
 * Tops up the accounts whose free balance is below their holders' threshold, and resumes payments whose process died or whose
 * answer was lost. Any number of processes may do this at once: each payment belongs to one of them. Returns how many payments it
 * handled. Rejects if the database does not answer; what was begun is then finished later.
 */
export async function runAutoTopUps({ ctx }: { ctx: Ctx }): Promise<number> {
  if (!ctx.stripe.configured) return 0
  const at = ctx.clock.now()
  const old = await ctx.autoTopUps.claimUnfinished(at)
  const fresh = await beginDue(ctx, at)
  const all = [
    ...old.map(async (payment) => recordOutcome(ctx, payment, await resume(ctx, payment, at))),
    ...fresh.map(async (payment) => recordOutcome(ctx, payment, await ctx.stripe.payOffSession(payment))),
  ]
  for (const { status, ...rest } of await Promise.allSettled(all))
    if (status === 'rejected') throw (rest as PromiseRejectedResult).reason
  return all.length
}
