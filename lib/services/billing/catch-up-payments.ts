import { HOUR_MS } from '../../domain/time-units.ts'
import type { ConsolePorts } from '../ports.ts'
import type { ChangeOutcome, EventRef, PaymentChange, StripeEvent } from './billing-ports.ts'
import { paymentChangesOf } from './handle-stripe-event.ts'
import { ENDING_EVENTS, PAYMENT_EVENTS } from './stripe-changes.ts'
import { PAYMENT_METADATA_KEY } from './stripe-metadata.ts'
import { type StripeProblem, stripeProblemIn } from './stripe-problem.ts'

type Ctx = Pick<ConsolePorts, 'payments' | 'stripe' | 'cards'>
type EventOutcome = Exclude<ChangeOutcome, { outcome: 'unknown' }> & { lost?: boolean }

/** A change that an event reported and that had not been applied. */
export interface LateChange {
  mark: EventRef
  change: PaymentChange
  /** Its payment was missing here and was recorded again. */
  lost: boolean
}

export interface CatchUpResult {
  /** How many payment events Stripe reported. */
  events: number
  done: LateChange[]
  /** What was not applied, and what was applied but needs somebody's attention. */
  asks: { mark: EventRef; why: string }[]
}

interface CatchUpInput {
  since: Date
  /** The currency that balances are kept in. */
  currency: string
  /** Applies only what ends these payments, and happened until then. */
  only?: { paymentIds: ReadonlySet<string>; until: Date }
}

const STRIPE_PROBLEMS: Record<StripeProblem, string> = {
  amount_too_small: 'Stripe refused the amount',
  amount_too_large: 'Stripe refused the amount',
  refused: 'Stripe refused to be asked about it',
  unreachable: 'Stripe did not answer',
}

const refusal = (why: string): EventOutcome => ({ outcome: 'refused', why })

/**
 * Handles a change to a payment that does not exist here: it was made after the backup that this database comes from, or with
 * another gateway. A payment that was paid gets its row again if its account exists here. Nothing else about it matters.
 */
async function applyUnknown(ctx: Ctx, eventRef: EventRef, change: PaymentChange, currency: string): Promise<EventOutcome> {
  if (change.kind === 'refund' || change.kind === 'dispute') {
    const id = await ctx.stripe.paymentOfIntent(change.intentId)
    return id === null ? { outcome: 'ignored' } : refusal(`payment ${id} was taken back, and is not credited here`)
  }
  // The payment intent of a page's payment names no account. The event of its page does.
  if (change.kind !== 'paid' || change.accountId === null) return { outcome: 'ignored' }
  const { kind, paymentId: id, accountId, ...rest } = change
  if (rest.currency !== currency)
    return refusal(`payment ${id} was made in ${rest.currency}, and balances are kept in ${currency}`)
  if (rest.sessionId === null && (rest.customerId === null || rest.methodId === null))
    return refusal(`payment ${id} was made at no page, and with no saved card`)
  if (!(await ctx.payments.recreate({ ...rest, id, accountId, at: eventRef.at })))
    return refusal(
      `payment ${id} is of another gateway, or of an account that was lost (${accountId}): if it was yours, refund it at Stripe`,
    )
  const result = await ctx.payments.apply(eventRef, change)
  return result.outcome === 'unknown' ? refusal(`payment ${id} is not here`) : { ...result, lost: true }
}

async function applyChange(ctx: Ctx, eventRef: EventRef, change: PaymentChange, currency: string): Promise<EventOutcome> {
  const result = await ctx.payments.apply(eventRef, change)
  return result.outcome === 'unknown' ? applyUnknown(ctx, eventRef, change, currency) : result
}

async function applyEvent(ctx: Ctx, event: StripeEvent, currency: string, caughtUp: CatchUpResult): Promise<void> {
  const eventRef = { id: event.id, type: event.type, at: event.at }
  try {
    for (const change of await paymentChangesOf(ctx, event)) {
      const result = await applyChange(ctx, eventRef, change, currency)
      if (result.outcome === 'done') caughtUp.done.push({ mark: eventRef, change, lost: result.lost === true })
      if (result.outcome === 'refused') caughtUp.asks.push({ mark: eventRef, why: result.why })
      if ('note' in result && result.note !== undefined) caughtUp.asks.push({ mark: eventRef, why: result.note })
    }
  } catch (error) {
    // An event that cannot be read or booked does not stop the following ones.
    const problem = stripeProblemIn(error)
    const why = problem === null ? (error instanceof Error ? error.name : 'unknown') : STRIPE_PROBLEMS[problem]
    caughtUp.asks.push({ mark: eventRef, why: `it could not be read or booked (${why})` })
  }
}

/** Clocks may differ by as much: events about a payment are looked for from so long before its row was written. */
const CLOCK_SKEW_MS = HOUR_MS

/** Lists the events to apply. */
async function listEvents({ stripe }: Ctx, { since, only }: CatchUpInput): Promise<StripeEvent[]> {
  if (!only) return stripe.eventsSince(since, PAYMENT_EVENTS)
  const events = await stripe.eventsSince(new Date(since.getTime() - CLOCK_SKEW_MS), ENDING_EVENTS)
  return events.filter(({ object, at }) => {
    const { metadata } = (object ?? {}) as { metadata?: Record<string, string> | null }
    return at <= only.until && only.paymentIds.has(metadata?.[PAYMENT_METADATA_KEY] ?? '')
  })
}

/** Receipts arrive before the event that credits their payment. For a lost payment they are therefore applied after it. */
const isDocumentEvent = ({ type }: StripeEvent): boolean => type.startsWith('charge.succeeded') || type.startsWith('invoice.')

/**
 * Asks Stripe for its payment events since a time and applies what was not applied: events that never arrived, and payments that
 * the database has lost because it comes from an earlier backup. What was applied stays as it is, however often this is called;
 * if interrupted, call it again. Cards are not touched. Errors: `unavailable` without Stripe keys, or while Stripe does not
 * answer.
 */
export async function catchUpPayments({ ctx, input }: { ctx: Ctx; input: CatchUpInput }): Promise<CatchUpResult> {
  const events = await listEvents(ctx, input)
  const caughtUp: CatchUpResult = { events: events.length, done: [], asks: [] }
  const inOrder = [...events.filter((event) => !isDocumentEvent(event)), ...events.filter(isDocumentEvent)]
  for (const event of inOrder) await applyEvent(ctx, event, input.currency, caughtUp)
  return caughtUp
}
