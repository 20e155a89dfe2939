import type { ConsolePorts } from '../ports.ts'
import { asServiceError } from '../service-error.ts'
import type { ChangeOutcome, EventMark, PaymentChange, StripeEvent } from './billing-ports.ts'
import { PAYMENT_EVENTS } from './stripe-changes.ts'
import { paymentChangesOf } from './take-stripe-event.ts'

type Ctx = Pick<ConsolePorts, 'payments' | 'stripe' | 'cards'>
type Found = Exclude<ChangeOutcome, { outcome: 'unknown' }> & { lost?: boolean }

/** A change that an event reported and that had not been applied. */
export interface DoneLate {
  mark: EventMark
  change: PaymentChange
  /** Its payment was missing here and was recorded again. */
  lost: boolean
}

export interface CaughtUp {
  /** How many payment events Stripe reported. */
  events: number
  done: DoneLate[]
  /** What was not applied, and what was applied but needs somebody's attention. */
  asks: { mark: EventMark; why: string }[]
}

interface Asked {
  since: Date
  /** The currency that balances are kept in. */
  currency: string
}

const refused = (why: string): Found => ({ outcome: 'refused', why })

/**
 * Handles a change to a payment that does not exist here: it was made after the backup that this database comes from, or with
 * another gateway. A payment that was paid gets its row again if its account exists here. Nothing else about it matters.
 */
async function takeUnknown(ctx: Ctx, mark: EventMark, change: PaymentChange, currency: string): Promise<Found> {
  if (change.kind === 'refund' || change.kind === 'dispute') {
    const id = await ctx.stripe.paymentOfIntent(change.intentId)
    return id === null ? { outcome: 'ignored' } : refused(`payment ${id} was taken back, and is not credited here`)
  }
  // The payment intent of a page's payment names no account. The event of its page does.
  if (change.kind !== 'paid' || change.accountId === null) return { outcome: 'ignored' }
  const { kind, paymentId: id, accountId, ...rest } = change
  if (rest.currency !== currency)
    return refused(`payment ${id} was made in ${rest.currency}, and balances are kept in ${currency}`)
  if (rest.sessionId === null && (rest.customerId === null || rest.methodId === null))
    return refused(`payment ${id} was made at no page, and with no saved card`)
  if (!(await ctx.payments.writeAgain({ ...rest, id, accountId, at: mark.at })))
    return refused(
      `payment ${id} is of another gateway, or of an account that was lost (${accountId}): if it was yours, refund it at Stripe`,
    )
  const result = await ctx.payments.apply(mark, change)
  return result.outcome === 'unknown' ? refused(`payment ${id} is not here`) : { ...result, lost: true }
}

async function takeOne(ctx: Ctx, mark: EventMark, change: PaymentChange, currency: string): Promise<Found> {
  const result = await ctx.payments.apply(mark, change)
  return result.outcome === 'unknown' ? takeUnknown(ctx, mark, change, currency) : result
}

async function takeEvent(ctx: Ctx, event: StripeEvent, currency: string, found: CaughtUp): Promise<void> {
  const mark = { id: event.id, type: event.type, at: event.at }
  try {
    for (const change of await paymentChangesOf(ctx, event)) {
      const result = await takeOne(ctx, mark, change, currency)
      if (result.outcome === 'done') found.done.push({ mark, change, lost: result.lost === true })
      if (result.outcome === 'refused') found.asks.push({ mark, why: result.why })
      if ('note' in result && result.note !== undefined) found.asks.push({ mark, why: result.note })
    }
  } catch (error) {
    // An event that cannot be read or booked does not stop the following ones.
    const why = asServiceError(error)?.message ?? (error instanceof Error ? error.name : 'unknown')
    found.asks.push({ mark, why: `it could not be read or booked (${why})` })
  }
}

/** Receipts arrive before the event that credits their payment. For a lost payment they are therefore applied after it. */
const isPaper = ({ type }: StripeEvent): boolean => type.startsWith('charge.succeeded') || type.startsWith('invoice.')

/**
 * Asks Stripe for its payment events since a time and applies what was not applied: events that never arrived, and payments that
 * the database has lost because it comes from an earlier backup. What was applied stays as it is, however often this is called;
 * if interrupted, call it again. Cards are not touched. Errors: `unavailable` without Stripe keys, or while Stripe does not
 * answer.
 */
export async function catchUpPayments({ ctx, input }: { ctx: Ctx; input: Asked }): Promise<CaughtUp> {
  const events = await ctx.stripe.eventsSince(input.since, PAYMENT_EVENTS)
  const found: CaughtUp = { events: events.length, done: [], asks: [] }
  const inOrder = [...events.filter((event) => !isPaper(event)), ...events.filter(isPaper)]
  for (const event of inOrder) await takeEvent(ctx, event, input.currency, found)
  return found
}
