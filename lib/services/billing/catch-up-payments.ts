import type { ConsolePorts } from '../ports.ts'
import { asServiceError } from '../service-error.ts'
import type { ChangeOutcome, EventMark, PaymentChange, StripeEvent } from './billing-ports.ts'
import { PAYMENT_EVENTS } from './stripe-changes.ts'
import { paymentChangesOf } from './take-stripe-event.ts'

type Ctx = Pick<ConsolePorts, 'payments' | 'stripe' | 'cards'>
type Found = Exclude<ChangeOutcome, { outcome: 'unknown' }> & { lost?: boolean }

/** What an event said that had not been done. */
export interface DoneLate {
  mark: EventMark
  change: PaymentChange
  /** Its payment was not here any more, and was written down again. */
  lost: boolean
}

export interface CaughtUp {
  /** How many events Stripe has told of payments. */
  events: number
  done: DoneLate[]
  /** What was not done, and what was done and asks for somebody all the same. */
  asks: { mark: EventMark; why: string }[]
}

interface Asked {
  since: Date
  /** What balances are kept in. */
  currency: string
}

const refused = (why: string): Found => ({ outcome: 'refused', why })

/**
 * What is to be done about a payment that is not here: it was made after the backup that this database comes from, or with
 * another gateway. One that was paid gets its row again where its account is here; nothing else matters of it.
 */
async function takeUnknown(ctx: Ctx, mark: EventMark, change: PaymentChange, currency: string): Promise<Found> {
  if (change.kind === 'refund' || change.kind === 'dispute') {
    const id = await ctx.stripe.paymentOfIntent(change.intentId)
    return id === null ? { outcome: 'ignored' } : refused(`payment ${id} was taken back, and is not credited here`)
  }
  // The intent of a page's payment names no account: the event of its page does.
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
    // Of one that cannot be read, or not be booked, the next ones know nothing.
    const why = asServiceError(error)?.message ?? (error instanceof Error ? error.name : 'unknown')
    found.asks.push({ mark, why: `it could not be read or booked (${why})` })
  }
}

/** Receipts come before the event that credits their payment: of one that was lost they are taken after it. */
const isPaper = ({ type }: StripeEvent): boolean => type.startsWith('charge.succeeded') || type.startsWith('invoice.')

/**
 * Asks Stripe what it has told of payments since, and does what was not done: events that never came, and payments that
 * the database has lost because it comes from an earlier backup. What was done stays as it is, however often this is
 * called; one that is cut off is called again. Cards are left alone. Errors: `unavailable` without keys of Stripe, or while it
 * does not answer.
 */
export async function catchUpPayments({ ctx, input }: { ctx: Ctx; input: Asked }): Promise<CaughtUp> {
  const events = await ctx.stripe.eventsSince(input.since, PAYMENT_EVENTS)
  const found: CaughtUp = { events: events.length, done: [], asks: [] }
  const inOrder = [...events.filter((event) => !isPaper(event)), ...events.filter(isPaper)]
  for (const event of inOrder) await takeEvent(ctx, event, input.currency, found)
  return found
}
