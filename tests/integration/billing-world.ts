/** A console with a stand-in for Stripe, for the tests of billing. */
import { randomUUID } from 'node:crypto'
import { createStripeWebhookHandler } from '#lib/console/stripe-webhook'
import { startTopUp } from '#lib/services/billing/start-top-up'
import type { SignedInUser } from '#lib/services/ports'
import { type FakeStripe, startStripe } from '../fakes/stripe.ts'
import { type Delivery, STRIPE_KEY, STRIPE_WEBHOOK_SECRET, signEvent } from '../fakes/stripe-events.ts'
import type { FakeSession } from '../fakes/stripe-objects.ts'
import { type ConsoleWorld, ORIGIN, openConsoleWorld } from './console-world.ts'

export const UNIT = 1_000_000_000n

export interface StartedPayment {
  paymentId: string
  session: FakeSession
  user: SignedInUser
}

export interface BillingWorld {
  world: ConsoleWorld
  stripe: FakeStripe
  /** Delivers to the webhook. Returns the status. */
  deliver(delivery: Partial<Delivery>): Promise<number>
  send(type: string, object: object, options?: Parameters<typeof signEvent>[2]): Promise<number>
  /** Starts a payment of this many units. */
  startPayment(units?: number, user?: SignedInUser, saveCard?: boolean): Promise<StartedPayment>
  /** Starts a payment that is then paid and credited. */
  completePayment(units?: number, user?: SignedInUser, saveCard?: boolean): Promise<StartedPayment>
  /** Credits an account with all that it can ever be credited, except for this many units. */
  fillCredit(user: SignedInUser, leaveUnits: number): Promise<void>
  entries(user: SignedInUser): Promise<{ id: string; kind: string; amount: bigint; owed: bigint }[]>
  close(): Promise<void>
}

/** Opens a world in which payments are set up. Close it. */
export async function openBillingWorld(): Promise<BillingWorld> {
  const stripe = await startStripe()
  const settings = { STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE: stripe.url }
  const world = await openConsoleWorld({ stripe: settings })
  const webhook = createStripeWebhookHandler(async () => world.console)
  const billing: BillingWorld = {
    world,
    stripe,
    async deliver({ body = '', signature }) {
      const headers = {
        'content-type': 'application/json',
        ...(signature === undefined ? {} : { 'stripe-signature': signature }),
      }
      return (await webhook(new Request(`${ORIGIN}/api/stripe/webhook`, { method: 'POST', body, headers }))).status
    },
    send: (type, object, options) => billing.deliver(signEvent(type, object, options)),
    async startPayment(units = 10, existingUser, saveCard = false) {
      const user = existingUser ?? (await world.newUser())
      const input = { requestId: randomUUID(), amountNano: String(BigInt(units) * UNIT), saveCard }
      const { paymentId, url } = await startTopUp({ ctx: world.as(user), input })
      const session = stripe.sessions.get(url.split('/').at(-1) ?? '')
      if (!session) throw new Error('the stand-in has no such session')
      return { paymentId, session, user }
    },
    async completePayment(units, user, saveCard) {
      const started = await billing.startPayment(units, user, saveCard)
      const status = await billing.send('checkout.session.completed', stripe.pay(started.session.id))
      if (status !== 200) throw new Error(`the payment was not credited: ${status}`)
      return started
    },
    async fillCredit({ accountId }, leaveUnits) {
      const { rows } = await world.pool.query<{ credit: string }>('select credit from purse where id = $1', [accountId])
      const amountNano = 2n ** 63n - 1n - BigInt(rows[0]?.credit ?? 0) - BigInt(leaveUnits) * UNIT
      const grant = { id: `ent_${randomUUID()}`, accountId, kind: 'grant', amountNano, reason: 'test', actor: 'test' } as const
      await world.console.ports.purses.credit({ ...grant, at: world.clock.at })
    },
    async entries(user) {
      const { rows } = await world.pool.query(
        'select id, kind, amount_nano, owed_nano from entry where account_id = $1 order by created_at, id',
        [user.accountId],
      )
      return rows.map((row) => ({ id: row.id, kind: row.kind, amount: BigInt(row.amount_nano), owed: BigInt(row.owed_nano) }))
    },
    async close() {
      await world.close()
      await stripe.close()
    },
  }
  return billing
}
