import type { ConsolePorts } from '../ports.ts'
import { applyCardChange } from './apply-card-change.ts'
import type { ChangeOutcome, PaymentChange, StripeEvent } from './billing-ports.ts'
import type { CardChange } from './card-ports.ts'
import { readRefund, readStripeEvent } from './stripe-changes.ts'

/**
 * The outcome of an event. `done`, `repeated`, `ignored`: Stripe does not need to send it again. `early`: it is about a payment
 * of ours that is not credited yet. `refused`: it contradicts our records, and a person has to look. `note`: it was accepted, and
 * a person has to do something about it.
 */
export type EventResult =
  | { outcome: 'done' | 'repeated'; note?: string }
  | { outcome: 'ignored' }
  | { outcome: 'early' | 'refused'; why: string }

type Ctx = Pick<ConsolePorts, 'payments' | 'stripe' | 'cards'>
type Change = PaymentChange | CardChange

const isCardChange = (change: Change): change is CardChange =>
  change.kind === 'card_saved' || change.kind === 'card_gone' || change.kind === 'card_renewed' || change.kind === 'customer_gone'

async function resolveUnknown(ctx: Ctx, change: PaymentChange): Promise<EventResult> {
  // Objects that we made carry the id of our payment. If it is not here, we have lost it.
  if ('paymentId' in change) return { outcome: 'refused', why: `there is no payment ${change.paymentId}` }
  const paymentId = await ctx.stripe.paymentOfIntent(change.intentId)
  if (paymentId === null) return { outcome: 'ignored' }
  return { outcome: 'early', why: `payment ${paymentId} is not credited yet` }
}

async function applyChange(ctx: Ctx, event: StripeEvent, change: Change): Promise<EventResult> {
  if (isCardChange(change)) return applyCardChange(ctx, event, change)
  const result: ChangeOutcome = await ctx.payments.apply({ id: event.id, type: event.type, at: event.at }, change)
  return result.outcome === 'unknown' ? resolveUnknown(ctx, change) : (result as EventResult)
}

async function changesOf(ctx: Ctx, event: StripeEvent): Promise<Change[]> {
  const reading = readStripeEvent(event)
  if (reading === null) return []
  if ('changes' in reading) return reading.changes
  const refunds = (await ctx.stripe.refundsOfIntent(reading.refundsOf)).map(readRefund)
  return refunds.filter((refund) => refund !== null)
}

/** What an event says about payments, without cards. */
export const paymentChangesOf = async (ctx: Ctx, event: StripeEvent): Promise<PaymentChange[]> =>
  (await changesOf(ctx, event)).filter((change) => !isCardChange(change))

/**
 * Applies what a verified Stripe event says. This is how payments are credited. Rejects if it could not be applied, for example
 * because the database is down. Then nothing or only a part was changed, and a repeat does the rest.
 */
export async function handleStripeEvent({ ctx, input }: { ctx: Ctx; input: StripeEvent }): Promise<EventResult> {
  let result: EventResult = { outcome: 'ignored' }
  for (const change of await changesOf(ctx, input)) {
    const next = await applyChange(ctx, input, change)
    if ('why' in next) return next
    if (result.outcome !== 'done') result = next
  }
  return result
}
