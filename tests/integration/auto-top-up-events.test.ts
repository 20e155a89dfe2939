import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { catchUpWaitingPayments } from '#lib/services/billing/catch-up-waiting-payments'
import { signEvent } from '../fakes/stripe-events.ts'
import { intentObject, refundObject } from '../fakes/stripe-objects.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type AutoTopUpWorld, openAutoTopUpWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'

let auto: AutoTopUpWorld
beforeAll(async () => {
  auto = await openAutoTopUpWorld()
})
afterAll(() => auto.close())
beforeEach(() => auto.reset())
// Whatever was paid or not, the books must add up to the nano.
afterEach(() => expectBalancedBooks(auto.billing.world.pool))

describe('an event of an automatic payment', () => {
  const createPayingUser = async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    await auto.run()
    return { user, intent: auto.onlyIntent(user) }
  }

  it.each([
    ['another currency', { currency: 'eur' }, {}],
    ['another amount', { amount_received: 1999 }, {}],
    ['no amount', { amount_received: null }, {}],
    ['another intent', { id: 'pi_other' }, {}],
    ['another customer', { customer: 'cus_other' }, {}],
    ['no customer', { customer: null }, {}],
    ['another account', {}, { tollgate_account: 'acc_other' }],
    ['no account', {}, { tollgate_account: undefined }],
    ['an unknown payment of ours', {}, { tollgate_payment: 'pay_unknown' }],
  ])('with %s is a 500, and the true one is taken after it', async (_, change, marks) => {
    const { user, intent } = await createPayingUser()
    expect(await auto.deliverEvent({ ...intent, ...change, metadata: { ...intent.metadata, ...marks } })).toBe(500)
    expect(await auto.balance(user)).toBe(2n * UNIT)
    expect(await auto.deliverEvent(intent)).toBe(200)
    expect(await auto.balance(user)).toBe(22n * UNIT)
  })

  it('that is forged, stale or not signed is a 400', async () => {
    const { user, intent } = await createPayingUser()
    for (const signOptions of [{ secret: 'whsec_somebody_else' }, { ageS: 600 }])
      expect(await auto.billing.send('payment_intent.succeeded', intent, signOptions)).toBe(400)
    expect(await auto.billing.deliver({ body: signEvent('payment_intent.succeeded', intent).body })).toBe(400)
    expect(await auto.balance(user)).toBe(2n * UNIT)
  })

  it('that comes often, and at once, credits once', async () => {
    const { user, intent } = await createPayingUser()
    const delivery = signEvent('payment_intent.succeeded', intent)
    const deliveries = [
      delivery,
      delivery,
      delivery,
      signEvent('payment_intent.succeeded', intent),
      signEvent('payment_intent.succeeded', intent),
    ]
    expect(await Promise.all(deliveries.map(auto.billing.deliver))).toEqual([200, 200, 200, 200, 200])
    expect(await auto.balance(user)).toBe(22n * UNIT)
    expect((await auto.notices(user)).filter(({ body }) => body.automatic)).toHaveLength(1)
  })

  it('that comes while the database is down is a 500, and its repeat is credited', async () => {
    const { user, intent } = await createPayingUser()
    const connect = vi.spyOn(auto.billing.world.pool, 'connect').mockImplementation(() => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    })
    expect(await auto.deliverEvent(intent)).toBe(500)
    connect.mockRestore()
    expect(await auto.deliverEvent(intent)).toBe(200)
    expect(await auto.balance(user)).toBe(22n * UNIT)
  })

  it('of a checkout credits nothing, and ends nothing: its session does', async () => {
    const { user, session, paymentId } = await auto.billing.startPayment(7)
    const paidSession = auto.billing.stripe.pay(session.id)
    const intent = intentObject(String(paidSession.payment_intent), 700, { tollgate_payment: paymentId })
    expect(
      await auto.deliverEvent({ ...intent, last_payment_error: { code: 'card_declined' } }, 'payment_intent.payment_failed'),
    ).toBe(200)
    expect(await auto.deliverEvent(intent)).toBe(200)
    expect(await auto.balance(user)).toBe(0n)
    expect(await auto.billing.send('checkout.session.completed', paidSession)).toBe(200)
    expect(await auto.balance(user)).toBe(7n * UNIT)
  })

  it('of another shop is nothing to us', async () => {
    expect(await auto.deliverEvent(intentObject('pi_shop', 100, {}))).toBe(200)
  })

  it('is followed by a refund that takes it back', async () => {
    const { user, intent } = await createPayingUser()
    const refund = signEvent('refund.created', refundObject(`re_${randomUUID()}`, intent.id, 2000))
    expect(await auto.billing.deliver(refund)).toBe(503)
    await auto.deliverEvent(intent)
    expect(await auto.billing.deliver(refund)).toBe(200)
    expect(await auto.balance(user)).toBe(2n * UNIT)
  })
})

describe('an event that does not arrive', () => {
  const MINUTE_MS = 60_000
  const lookUp = () => catchUpWaitingPayments({ ctx: auto.billing.world.console.ports })
  const createPayingUser = async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    await auto.run()
    return { user, intent: auto.onlyIntent(user) }
  }
  const listEvent = (type: string, object: object) => {
    const created = Math.floor(auto.billing.world.clock.at.getTime() / 1000)
    const { body } = signEvent(type, object, { created })
    auto.billing.stripe.events.push(JSON.parse(body))
    return body
  }
  beforeEach(async () => {
    auto.billing.stripe.events.length = 0
    await auto.billing.world.pool.query("update payment set state = 'expired' where state in ('open', 'processing')")
  })

  it('is looked up after ten minutes, and credits once, also if it arrives after all', async () => {
    const { user, intent } = await createPayingUser()
    const body = listEvent('payment_intent.succeeded', intent)
    auto.advanceClock(9 * MINUTE_MS)
    expect(await lookUp()).toEqual({ done: [], asks: [], overdue: [] })
    auto.advanceClock(2 * MINUTE_MS)
    const results = await Promise.all([lookUp(), lookUp(), lookUp()])
    expect(results.flatMap(({ done }) => done)).toMatchObject([{ change: { kind: 'paid' }, mark: { id: JSON.parse(body).id } }])
    expect(results.flatMap(({ asks, overdue }) => [...asks, ...overdue])).toEqual([])
    expect(await auto.balance(user)).toBe(22n * UNIT)
    const delivery = signEvent('payment_intent.succeeded', intent, { id: JSON.parse(body).id })
    expect(await auto.billing.deliver(delivery)).toBe(200)
    expect(await auto.deliverEvent(intent)).toBe(200)
    expect(await auto.balance(user)).toBe(22n * UNIT)
    expect(await auto.states(user)).toEqual([['paid', null]])
  })

  it('ends a payment that failed, and events of other payments are left alone', async () => {
    const { user, intent } = await createPayingUser()
    const other = await auto.createPayer(2)
    await auto.enable(other)
    auto.advanceClock(11 * MINUTE_MS)
    await auto.run()
    listEvent('payment_intent.succeeded', { ...intent, id: 'pi_lost', metadata: { tollgate_payment: 'pay_lost' } })
    listEvent('payment_intent.succeeded', auto.onlyIntent(other))
    listEvent('payment_intent.payment_failed', { ...intent, last_payment_error: { code: 'expired_card' } })
    auto.advanceClock(2 * MINUTE_MS)
    expect(await lookUp()).toMatchObject({ done: [{ change: { kind: 'declined' } }], asks: [], overdue: [] })
    expect(await auto.states(user)).toEqual([['failed', 'expired']])
    expect(await auto.balance(other)).toBe(2n * UNIT)
  })

  it('that Stripe does not list leaves the payment on its way, and that contradicts it is told to a person', async () => {
    const { user, intent } = await createPayingUser()
    auto.advanceClock(11 * MINUTE_MS)
    const [{ id }] = (await auto.payments(user)) as [{ id: string }]
    expect(await lookUp()).toMatchObject({ done: [], asks: [], overdue: [{ id, accountId: user.accountId }] })
    expect((await lookUp()).overdue).toEqual([])
    listEvent('payment_intent.succeeded', { ...intent, amount_received: 1 })
    auto.advanceClock(11 * MINUTE_MS)
    expect(await lookUp()).toMatchObject({
      done: [],
      asks: [{ why: expect.stringContaining('the amount 1 instead of 2000') }],
      overdue: [{ id }],
    })
    expect(await auto.balance(user)).toBe(2n * UNIT)
  })

  it('is looked up later if Stripe does not answer', async () => {
    const { user, intent } = await createPayingUser()
    listEvent('payment_intent.succeeded', intent)
    auto.advanceClock(11 * MINUTE_MS)
    auto.billing.stripe.down = true
    await expect(lookUp()).rejects.toMatchObject({ code: 'unavailable' })
    auto.billing.stripe.down = false
    auto.advanceClock(11 * MINUTE_MS)
    expect((await lookUp()).done).toHaveLength(1)
    expect(await auto.balance(user)).toBe(22n * UNIT)
  })
  it('of a page is looked up after two minutes, and then less and less often, and credits once', async () => {
    const { user, session, paymentId } = await auto.billing.startPayment(7)
    auto.advanceClock(1.5 * MINUTE_MS)
    const body = listEvent('checkout.session.completed', auto.billing.stripe.pay(session.id))
    expect((await lookUp()).done).toEqual([])
    auto.advanceClock(0.6 * MINUTE_MS)
    // It is probably on its way.
    expect((await lookUp()).done).toEqual([])
    auto.advanceClock(3 * MINUTE_MS)
    const results = await Promise.all([lookUp(), lookUp()])
    expect(results.flatMap(({ done }) => done)).toMatchObject([{ change: { kind: 'paid', paymentId } }])
    expect(await auto.balance(user)).toBe(7n * UNIT)
    expect(await auto.billing.deliver(signEvent('checkout.session.completed', session, { id: JSON.parse(body).id }))).toBe(200)
    expect(await auto.balance(user)).toBe(7n * UNIT)
  })

  it('of a page that nobody paid at is nothing to tell anybody, and is ended when Stripe says so', async () => {
    const { session, paymentId, user } = await auto.billing.startPayment(7)
    const lists = vi.spyOn(auto.billing.world.console.ports.stripe, 'eventsSince')
    for (let minute = 0; minute < 64; minute++) {
      auto.advanceClock(MINUTE_MS)
      expect(await lookUp()).toEqual({ done: [], asks: [], overdue: [] })
    }
    expect(lists.mock.calls.length).toBeLessThan(10)
    lists.mockRestore()
    listEvent('checkout.session.expired', { ...session, status: 'expired' })
    auto.advanceClock(64 * MINUTE_MS)
    expect((await lookUp()).done).toMatchObject([{ change: { kind: 'moved', paymentId, state: 'expired' } }])
    auto.advanceClock(24 * 60 * MINUTE_MS)
    expect(await lookUp()).toEqual({ done: [], asks: [], overdue: [] })
    expect(await auto.balance(user)).toBe(0n)
  })
})
