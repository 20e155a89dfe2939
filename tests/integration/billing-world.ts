/** A console with a stand-in for Stripe, for the tests of billing. */
import { randomUUID } from 'node:crypto'
import { createStripeWebhookHandler } from '#lib/console/stripe-webhook'
import { startTopUp } from '#lib/services/billing/start-top-up'
import type { SignedInUser } from '#lib/services/ports'
import { type Delivery, type FakeStripe, STRIPE_KEY, STRIPE_WEBHOOK_SECRET, signEvent, startStripe } from '../fakes/stripe.ts'
import type { FakeSession } from '../fakes/stripe-objects.ts'
import { ORIGIN, openWorld, type World } from './console-world.ts'

export const UNIT = 1_000_000_000n

export interface Started {
  paymentId: string
  session: FakeSession
  user: SignedInUser
}

export interface BillingWorld {
  world: World
  stripe: FakeStripe
  /** Delivers to the webhook. Returns the status. */
  deliver(delivery: Partial<Delivery>): Promise<number>
  send(type: string, object: object, more?: Parameters<typeof signEvent>[2]): Promise<number>
  /** Starts a payment of this many units. */
  start(units?: number, user?: SignedInUser, saveCard?: boolean): Promise<Started>
  /** Starts a payment that is then paid and credited. */
  paid(units?: number, user?: SignedInUser, saveCard?: boolean): Promise<Started>
  /** Credits an account with all that it can ever be credited, except for this many units. */
  fill(user: SignedInUser, but: number): Promise<void>
  entries(user: SignedInUser): Promise<{ id: string; kind: string; amount: bigint; owed: bigint }[]>
  close(): Promise<void>
}

/** Opens a world in which payments are set up. Close it. */
export async function openBilling(): Promise<BillingWorld> {
  const stripe = await startStripe()
  const settings = { STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE: stripe.url }
  const world = await openWorld({ stripe: settings })
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
    send: (type, object, more) => billing.deliver(signEvent(type, object, more)),
    async start(units = 10, given, saveCard = false) {
      const user = given ?? (await world.newUser())
      const input = { requestId: randomUUID(), amountNano: String(BigInt(units) * UNIT), saveCard }
      const { paymentId, url } = await startTopUp({ ctx: world.as(user), input })
      const session = stripe.sessions.get(url.split('/').at(-1) ?? '')
      if (!session) throw new Error('the stand-in has no such session')
      return { paymentId, session, user }
    },
    async paid(units, user, saveCard) {
      const started = await billing.start(units, user, saveCard)
      const status = await billing.send('checkout.session.completed', stripe.pay(started.session.id))
      if (status !== 200) throw new Error(`the payment was not credited: ${status}`)
      return started
    },
    async fill({ accountId }, but) {
      const { rows } = await world.pool.query<{ credit: string }>('select credit from purse where id = $1', [accountId])
      const amountNano = 2n ** 63n - 1n - BigInt(rows[0]?.credit ?? 0) - BigInt(but) * UNIT
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
