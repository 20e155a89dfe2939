/** A console with a stand-in for Stripe and accounts with saved cards, for the tests of automatic top-up. */

import { expect } from 'vitest'
import { runAutoTopUps } from '#lib/services/billing/run-auto-top-ups'
import { setAutoTopUp } from '#lib/services/billing/set-auto-top-up'
import type { SignedInUser } from '#lib/services/ports'
import type { FakeIntent } from '../fakes/stripe-objects.ts'
import { balanceOf } from '../support/fixtures.ts'
import { type BillingWorld, openBillingWorld, UNIT } from './billing-world.ts'
import { NOW } from './console-world.ts'

export interface AutoTopUpWorld {
  billing: BillingWorld
  /** Makes somebody with a saved card and this many units. */
  createPayer(units?: number): Promise<SignedInUser>
  /** Turns automatic top-up on: by default 20 when below 5, and at most 100 a month. */
  enable(user: SignedInUser, options?: { threshold?: number; amount?: number; ceiling?: number }): Promise<void>
  /** Spends this many units on a request. */
  spend(user: SignedInUser, units: number): Promise<void>
  /** Runs one round of the upkeep. */
  run(): Promise<number>
  payments(user: SignedInUser): Promise<Record<string, unknown>[]>
  settings(user: SignedInUser): Promise<Record<string, unknown> | undefined>
  intents(user: SignedInUser): FakeIntent[]
  /** The only intent of this person. */
  onlyIntent(user: SignedInUser): FakeIntent
  balance(user: SignedInUser): Promise<bigint>
  /** The states of this person's automatic payments, each with why it failed. */
  states(user: SignedInUser): Promise<[state: string, failure: string | null][]>
  /** Notices that this person has not been sent yet. */
  notices(user: SignedInUser): Promise<{ kind: string; body: Record<string, unknown> }[]>
  /** Delivers the event of an intent. Returns the status. */
  deliverEvent(intent: object, type?: string): Promise<number>
  advanceClock(ms: number): void
  /** Resets the world before each test: Stripe works, it is NOW, and the rounds of the next test do not top up older accounts. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** Opens such a world. Close it. */
export async function openAutoTopUpWorld(): Promise<AutoTopUpWorld> {
  const billing = await openBillingWorld()
  const { world, stripe } = billing
  const auto: AutoTopUpWorld = {
    billing,
    async createPayer(units = 10) {
      return (await billing.completePayment(units, undefined, true)).user
    },
    async enable(user, { threshold = 5, amount = 20, ceiling = 100 } = {}) {
      const [thresholdNano = '', amountNano = '', ceilingNano = ''] = [threshold, amount, ceiling].map((units) =>
        String(BigInt(units) * UNIT),
      )
      const input = { enabled: true, thresholdNano, amountNano, ceilingNano, consent: true } as const
      await setAutoTopUp({ ctx: world.as(user), input })
    },
    async spend(user, units) {
      await world.settle(user, { at: world.clock.at, total: BigInt(units) * UNIT })
    },
    run: () => runAutoTopUps({ ctx: world.console.ports }),
    async payments(user) {
      const { rows } = await world.pool.query("select * from payment where account_id = $1 and source = 'auto' order by id", [
        user.accountId,
      ])
      return rows
    },
    async settings(user) {
      return (await world.pool.query('select * from auto_top_up where account_id = $1', [user.accountId])).rows[0]
    },
    intents: (user) => [...stripe.cards.intents.values()].filter((intent) => intent.metadata.tollgate_account === user.accountId),
    onlyIntent(user) {
      const intents = auto.intents(user)
      expect(intents).toHaveLength(1)
      return intents[0] as FakeIntent
    },
    async balance(user) {
      return (await balanceOf(world.pool, user.accountId)).balance
    },
    async states(user) {
      return (await auto.payments(user)).map(({ state, failure }) => [state as string, failure as string | null])
    },
    async notices(user) {
      return (await world.pool.query('select kind, body from notice where account_id = $1 order by id', [user.accountId])).rows
    },
    deliverEvent: (intent, type = 'payment_intent.succeeded') => billing.send(type, intent),
    advanceClock(ms) {
      world.clock.at = new Date(world.clock.at.getTime() + ms)
    },
    async reset() {
      stripe.cards.bank = 'pays'
      stripe.down = false
      stripe.mute = false
      world.clock.at = NOW
      world.errors.length = 0
      await world.pool.query("update auto_top_up set enabled = false; update payment set state = 'expired' where state = 'open'")
    },
    close: () => billing.close(),
  }
  return auto
}
