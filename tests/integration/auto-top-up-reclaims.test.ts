import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { autoTopUp } from '#lib/contracts/auto-top-up'
import { getAutoTopUp } from '#lib/services/billing/get-auto-top-up'
import { removeCard } from '#lib/services/billing/remove-card'
import type { SignedInUser } from '#lib/services/ports'
import { signEvent } from '../fakes/stripe-events.ts'
import { disputeObject, type FakeIntent, refundObject } from '../fakes/stripe-objects.ts'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type AutoTopUpWorld, openAutoTopUpWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'
import { NOW } from './console-world.ts'

// Money from an automatic top-up that is taken back: the same card must not be charged for it again.
let auto: AutoTopUpWorld
beforeAll(async () => {
  auto = await openAutoTopUpWorld()
})
afterAll(() => auto.close())
beforeEach(async () => {
  auto.billing.stripe.cards.bank = 'pays'
  auto.billing.world.clock.at = NOW
  await auto.billing.world.pool.query('update auto_top_up set enabled = false')
})
afterEach(() => expectBalancedBooks(auto.billing.world.pool))

const balance = async (user: SignedInUser) => (await balanceOf(auto.billing.world.pool, user.accountId)).balance
const view = async (user: SignedInUser) => autoTopUp.parse(await getAutoTopUp({ ctx: auto.billing.world.as(user) }))

/** Makes an account with 22 units, of which 20 came from an automatic top-up. */
async function createToppedUpUser(): Promise<{ user: SignedInUser; intent: FakeIntent }> {
  const user = await auto.createPayer(2)
  await auto.enable(user)
  await auto.run()
  const [intent] = auto.intents(user)
  if (!intent) throw new Error('nothing was paid')
  expect(await auto.deliverEvent(intent)).toBe(200)
  expect(await balance(user)).toBe(22n * UNIT)
  return { user, intent }
}
const refund = (intent: string, amount = 2000) => signEvent('refund.created', refundObject(`re_${randomUUID()}`, intent, amount))
const dispute = (intent: string, amount = 2000) =>
  signEvent('charge.dispute.created', disputeObject(`dp_${randomUUID()}`, intent, amount))

describe('an automatic payment that is taken back', () => {
  it.each([
    ['refunded', refund],
    ['disputed', dispute],
  ] as const)('by being %s is not made again: automatic top-up is switched off, once', async (reason, createEvent) => {
    const { user, intent } = await createToppedUpUser()
    const event = createEvent(intent.id)
    expect(await auto.billing.deliver(event)).toBe(200)
    expect(await balance(user)).toBe(2n * UNIT)
    expect(await auto.run()).toBe(0)
    expect(auto.intents(user)).toHaveLength(1)
    expect(await view(user)).toMatchObject({ enabled: false, state: 'off', offReason: reason })
    const offNotices = async () => (await auto.notices(user)).filter(({ kind }) => kind === 'auto_top_up.off')
    expect(await offNotices()).toMatchObject([{ body: { reason, card: 'Visa •••• 4242', amountNano: String(20n * UNIT) } }])
    // The account holder may turn it on again. A repeat of the event does not undo that.
    await auto.enable(user)
    expect(await auto.billing.deliver(event)).toBe(200)
    expect(await view(user)).toMatchObject({ enabled: true, offReason: null })
    expect(await offNotices()).toHaveLength(1)
    expect(await auto.run()).toBe(1)
  })

  it('in part is not made again either', async () => {
    const { user, intent } = await createToppedUpUser()
    expect(await auto.billing.deliver(refund(intent.id, 1900))).toBe(200)
    expect(await auto.run()).toBe(0)
    expect((await view(user)).offReason).toBe('refunded')
  })
})

describe('a payment by hand', () => {
  it('that is disputed switches automatic top-up off: nobody charges the card of who disputes', async () => {
    const { user, session } = await auto.billing.completePayment(10, undefined, true)
    await auto.enable(user)
    expect(await auto.billing.deliver(dispute(String(session.payment_intent), 1000))).toBe(200)
    expect(await auto.run()).toBe(0)
    expect(await view(user)).toMatchObject({ enabled: false, offReason: 'disputed' })
  })

  it('that is refunded leaves it on', async () => {
    const { user, session } = await auto.billing.completePayment(10, undefined, true)
    await auto.enable(user)
    expect(await auto.billing.deliver(refund(String(session.payment_intent), 100))).toBe(200)
    expect(await view(user)).toMatchObject({ enabled: true, offReason: null })
  })
})

describe('while a payment is under way', () => {
  it('a dispute of an earlier one makes a debt that the money pays when it comes', async () => {
    const { user, session } = await auto.billing.completePayment(10, undefined, true)
    await auto.enable(user)
    await auto.spend(user, 8)
    expect(await auto.run()).toBe(1)
    expect(await auto.billing.deliver(dispute(String(session.payment_intent), 1000))).toBe(200)
    expect(await balanceOf(auto.billing.world.pool, user.accountId)).toMatchObject({ balance: 0n, owed: 8n * UNIT })
    const [intent] = auto.intents(user)
    const statuses = await Promise.all([1, 2].map(() => auto.deliverEvent(intent as FakeIntent)))
    expect(statuses).toEqual([200, 200])
    expect(await balanceOf(auto.billing.world.pool, user.accountId)).toMatchObject({ balance: 12n * UNIT, owed: 0n })
    expect(await auto.run()).toBe(0)
  })

  it('the card can be removed: what it paid is credited all the same, and nothing more is paid with it', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    await auto.run()
    await removeCard({ ctx: auto.billing.world.as(user) })
    expect(await auto.deliverEvent(auto.intents(user)[0] as FakeIntent)).toBe(200)
    expect(await balance(user)).toBe(22n * UNIT)
    await auto.spend(user, 20)
    expect(await auto.run()).toBe(0)
    expect(auto.intents(user)).toHaveLength(1)
  })

  it('its refund comes before its credit, twice and at once: taken once, after the credit', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    await auto.run()
    const [intent] = auto.intents(user) as [FakeIntent]
    const event = refund(intent.id)
    const earlyStatuses = await Promise.all([auto.billing.deliver(event), auto.billing.deliver(event)])
    expect(earlyStatuses).toEqual([503, 503])
    const paidEvent = signEvent('payment_intent.succeeded', intent)
    await Promise.all([paidEvent, event, paidEvent, event, paidEvent].map((delivery) => auto.billing.deliver(delivery)))
    expect(await auto.billing.deliver(event)).toBe(200)
    expect(await balance(user)).toBe(2n * UNIT)
  })
})
