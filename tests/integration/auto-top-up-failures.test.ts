import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HOUR_MS } from '#lib/domain/time-units'
import { runAutoTopUps } from '#lib/services/billing/run-auto-top-ups'
import type { FakeIntent } from '../fakes/stripe-objects.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type AutoTopUpWorld, openAutoTopUpWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'
import { NOW } from './console-world.ts'

let auto: AutoTopUpWorld
beforeAll(async () => {
  auto = await openAutoTopUpWorld()
})
afterAll(() => auto.close())
beforeEach(() => auto.reset())
// Whatever was paid or not, the books must add up to the nano.
afterEach(() => expectBalancedBooks(auto.billing.world.pool))

describe('a payment that fails', () => {
  it('is tried again after an hour, after twelve, and then not any more; its holder is told each time', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.cards.bank = 'has_too_little'
    await auto.run()
    expect(await auto.settings(user)).toMatchObject({ enabled: true, failures: 1, retry_at: new Date(NOW.getTime() + HOUR_MS) })
    auto.advanceClock(HOUR_MS - 1)
    expect(await auto.run()).toBe(0)
    auto.advanceClock(1)
    expect(await auto.run()).toBe(1)
    expect(await auto.settings(user)).toMatchObject({ enabled: true, failures: 2 })
    auto.advanceClock(12 * HOUR_MS)
    expect(await auto.run()).toBe(1)
    expect(await auto.settings(user)).toMatchObject({ enabled: false, failures: 3, retry_at: null, off_reason: 'funds' })
    auto.advanceClock(100 * HOUR_MS)
    expect(await auto.run()).toBe(0)
    const failedNotices = (await auto.notices(user)).filter(({ kind }) => kind === 'top_up.failed')
    expect(failedNotices.map(({ body }) => [body.off, body.waitMs, body.reason, body.card])).toEqual([
      [false, HOUR_MS, 'funds', 'Visa •••• 4242'],
      [false, 12 * HOUR_MS, 'funds', 'Visa •••• 4242'],
      [true, null, 'funds', 'Visa •••• 4242'],
    ])
    expect(await auto.balance(user)).toBe(2n * UNIT)
  })

  it.each([
    ['wants_its_holder', 'authentication'],
    ['has_expired', 'expired'],
  ] as const)('because the bank %s switches it off at once', async (bank, reason) => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.cards.bank = bank
    await auto.run()
    expect(await auto.settings(user)).toMatchObject({ enabled: false, off_reason: reason })
    expect(await auto.states(user)).toEqual([['failed', reason]])
  })

  it('because the card is gone at Stripe switches it off at once', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    const card = await auto.billing.world.console.ports.cards.find(user.accountId)
    auto.billing.stripe.cards.methods.delete(card?.methodId ?? '')
    await auto.run()
    expect(await auto.settings(user)).toMatchObject({ enabled: false, off_reason: 'card_gone' })
  })

  it('counts once, though the answer and the event both say so', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.cards.bank = 'declines'
    await auto.run()
    expect(await auto.deliverEvent(auto.onlyIntent(user), 'payment_intent.payment_failed')).toBe(200)
    expect(await auto.deliverEvent(auto.onlyIntent(user), 'payment_intent.canceled')).toBe(200)
    expect(await auto.settings(user)).toMatchObject({ failures: 1 })
    expect((await auto.notices(user)).filter(({ kind }) => kind === 'top_up.failed')).toHaveLength(1)
  })

  it('is told by its event alone where the bank took its time', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.cards.bank = 'takes_its_time'
    await auto.run()
    expect(await auto.states(user)).toEqual([['processing', null]])
    const failedIntent = {
      ...auto.onlyIntent(user),
      status: 'requires_payment_method',
      last_payment_error: { code: 'expired_card' },
    }
    expect(await auto.deliverEvent(failedIntent, 'payment_intent.payment_failed')).toBe(200)
    expect(await auto.states(user)).toEqual([['failed', 'expired']])
    expect(await auto.settings(user)).toMatchObject({ enabled: false, off_reason: 'expired' })
  })

  it('is forgotten after one that succeeds', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.cards.bank = 'declines'
    await auto.run()
    auto.billing.stripe.cards.bank = 'pays'
    auto.advanceClock(HOUR_MS)
    await auto.run()
    await auto.deliverEvent(auto.intents(user).at(-1) as FakeIntent)
    expect(await auto.settings(user)).toMatchObject({ enabled: true, failures: 0, retry_at: null })
  })

  it('is credited all the same where the money did come, and not undone by a late failure', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.cards.bank = 'declines'
    await auto.run()
    const intent = auto.onlyIntent(user)
    expect(await auto.deliverEvent({ ...intent, status: 'succeeded', amount_received: 2000 })).toBe(200)
    expect(await auto.deliverEvent(intent, 'payment_intent.payment_failed')).toBe(200)
    expect(await auto.balance(user)).toBe(22n * UNIT)
    expect((await auto.states(user))[0]?.[0]).toBe('paid')
  })
})

describe('what nobody knows the end of', () => {
  const intentRequests = () =>
    auto.billing.stripe.asked.filter(({ method, path }) => method === 'POST' && path === '/v1/payment_intents')

  it('is asked again under the same key while Stripe is down, and paid once', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.down = true
    await auto.run()
    expect(await auto.states(user)).toEqual([['open', null]])
    auto.advanceClock(60_000)
    expect(await auto.run()).toBe(0)
    auto.advanceClock(61_000)
    expect(await auto.run()).toBe(1)
    expect(await auto.states(user)).toEqual([['open', null]])
    auto.billing.stripe.down = false
    auto.advanceClock(121_000)
    expect(await auto.run()).toBe(1)
    const [row] = await auto.payments(user)
    const keys = intentRequests().filter(({ key }) => key === row?.id)
    expect(keys.length).toBeGreaterThan(1)
    expect(auto.intents(user)).toHaveLength(1)
    await auto.deliverEvent(auto.onlyIntent(user))
    expect(await auto.balance(user)).toBe(22n * UNIT)
  })

  it('is found at Stripe where it was made and its answer was lost', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.mute = true
    await auto.run()
    expect(await auto.states(user)).toEqual([['open', null]])
    expect(auto.intents(user)).toHaveLength(1)
    auto.billing.stripe.mute = false
    auto.advanceClock(121_000)
    const requestsBefore = intentRequests().length
    await auto.run()
    expect(intentRequests()).toHaveLength(requestsBefore)
    expect(await auto.states(user)).toEqual([['processing', null]])
    await auto.deliverEvent(auto.onlyIntent(user))
    expect(await auto.balance(user)).toBe(22n * UNIT)
  })

  it('is credited by an event that comes before the answer', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    const { ports } = auto.billing.world.console
    const stripe = {
      ...ports.stripe,
      async payOffSession(payment: Parameters<typeof ports.stripe.payOffSession>[0]) {
        const outcome = await ports.stripe.payOffSession(payment)
        expect(await auto.deliverEvent(auto.onlyIntent(user))).toBe(200)
        return outcome
      },
    }
    await runAutoTopUps({ ctx: { ...ports, stripe } })
    expect((await auto.states(user))[0]?.[0]).toBe('paid')
    expect(await auto.balance(user)).toBe(22n * UNIT)
  })

  it('is finished by another process where one died between the row and the question', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    const { ports } = auto.billing.world.console
    const failingStripe = { ...ports.stripe, payOffSession: () => Promise.reject(new Error('killed')) }
    await expect(runAutoTopUps({ ctx: { ...ports, stripe: failingStripe } })).rejects.toThrow('killed')
    expect(await auto.states(user)).toEqual([['open', null]])
    expect(auto.intents(user)).toEqual([])
    auto.advanceClock(121_000)
    const counts = await Promise.all([auto.run(), auto.run(), auto.run()])
    expect(counts.reduce((sum, count) => sum + count)).toBe(1)
    await auto.deliverEvent(auto.onlyIntent(user))
    expect(await auto.balance(user)).toBe(22n * UNIT)
  })

  it('is not asked for after its holder has switched it off', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.down = true
    await auto.run()
    auto.billing.stripe.down = false
    await auto.billing.world.console.ports.autoTopUps.set(user.accountId, null, NOW)
    auto.advanceClock(121_000)
    await auto.run()
    expect(await auto.states(user)).toEqual([['expired', null]])
    expect(auto.intents(user)).toEqual([])
  })

  it('is given up after a day, when Stripe may have forgotten the key', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    auto.billing.stripe.down = true
    await auto.run()
    auto.billing.stripe.down = false
    const requestsBefore = intentRequests().length
    auto.advanceClock(24 * HOUR_MS)
    await auto.run()
    expect(intentRequests()).toHaveLength(requestsBefore)
    expect(await auto.states(user)).toEqual([['failed', 'unanswered']])
    expect(await auto.settings(user)).toMatchObject({ enabled: true, failures: 1 })
  })
})
