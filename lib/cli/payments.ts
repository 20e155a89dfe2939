import { parseArgs } from 'node:util'
import { z } from 'zod'
import { currencyOf, toNano } from '../domain/currency.ts'
import { formatDecimal } from '../domain/money.ts'
import { DAY_MS } from '../domain/time-units.ts'
import { createStripe } from '../host/stripe.ts'
import { catchUpPayments, type LateChange } from '../services/billing/catch-up-payments.ts'
import { stripeProblemIn } from '../services/billing/stripe-problem.ts'
import { createConsoleStore } from '../store/console/console-store.ts'
import { createPrisma } from '../store/prisma.ts'
import { formatColumns } from './columns.ts'
import { withDatabase } from './database.ts'

const USAGE =
  'Usage: npm run payments [-- --since TIME]     TIME such as 2026-11-24 or 2026-11-24T08:00:00Z; the default is 30 days ago'
const STRIPE_RETENTION_MS = 30 * DAY_MS

const REFUSED = 'Stripe refused to list its events. Check STRIPE_SECRET_KEY: it may be revoked, or not allowed to read events.'
const UNREACHABLE = 'Stripe cannot be reached right now, or fails. Nothing was booked. Run this again later.'

/** A calendar day, which begins in UTC, or a time with its offset from UTC. */
const timeSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

function readSince(words: string[]): Date | null {
  const { values } = parseArgs({ args: words, options: { since: { type: 'string' } } })
  if (values.since === undefined) return new Date(Date.now() - STRIPE_RETENTION_MS)
  const { data } = timeSchema.safeParse(values.since)
  const since = data === undefined ? null : new Date(data)
  return since !== null && since.getTime() <= Date.now() ? since : null
}

/** A change that moved money, as a row of cells; null for a change that only reports a payment's state. */
function rowOf({ mark, change, lost }: LateChange): string[] | null {
  if (change.kind !== 'paid' && change.kind !== 'refund' && change.kind !== 'dispute') return null
  const currency = currencyOf(change.currency)
  const amount = currency ? formatDecimal(toNano(change.amountMinor, currency)) : String(change.amountMinor)
  const back = change.kind !== 'paid' && change.back ? ' given back' : ''
  const about = change.kind === 'paid' ? `${change.paymentId}${lost ? ', whose record was lost' : ''}` : change.id
  return [mark.at.toISOString(), `${change.kind}${back}`, `${amount} ${change.currency.toUpperCase()}`, about]
}

await withDatabase({ usage: USAGE, parseArguments: readSince }, async ({ input: since, pool, env }) => {
  if (!env.STRIPE_SECRET_KEY)
    throw new Error(
      'Payments are not set up. Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET to the values that the gateway has.',
    )
  const { payments, cards } = createConsoleStore({ pool, prisma: createPrisma(pool) })
  const stripe = createStripe(env, { warn: (fields, message) => process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`) })
  try {
    const { events, done, asks } = await catchUpPayments({
      ctx: { payments, cards, stripe },
      input: { since, currency: env.CURRENCY },
    })
    const rows = done.map(rowOf).filter((row) => row !== null)
    if (rows.length > 0) process.stdout.write(`${formatColumns(rows)}\n\n`)
    process.stdout.write(
      `${events} Stripe ${events === 1 ? 'event' : 'events'} since ${since.toISOString()}. Payments, refunds and disputes that were missing here and are now booked: ${rows.length}.\n`,
    )
    if (Date.now() - since.getTime() > STRIPE_RETENTION_MS + DAY_MS)
      process.stdout.write('Stripe keeps events for 30 days. Look up earlier payments in its dashboard.\n')
    for (const { mark, why } of asks)
      process.stdout.write(`LOOK AT  ${mark.id} (${mark.type}, ${mark.at.toISOString()}): ${why}\n`)
    return asks.length > 0 ? 2 : 0
  } catch (error) {
    const problem = stripeProblemIn(error)
    throw problem === null ? error : new Error(problem === 'unreachable' ? UNREACHABLE : REFUSED)
  }
})
