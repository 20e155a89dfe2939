import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { getPayment } from '#lib/services/billing/get-payment'
import type { SignedInUser } from '#lib/services/ports'
import { signEvent } from '../fakes/stripe-events.ts'
import { chargeObject, disputeObject, invoiceObject, refundObject } from '../fakes/stripe-objects.ts'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type BillingWorld, openBillingWorld, UNIT } from './billing-world.ts'

let billing: BillingWorld
beforeAll(async () => {
  billing = await openBillingWorld()
})
afterAll(() => billing.close())
beforeEach(() => {
  billing.world.errors.length = 0
})
// Whatever came, the books must add up to the nano.
afterEach(() => expectBalancedBooks(billing.world.pool))

const COMPLETED = 'checkout.session.completed'
const balancesOf = async (user: SignedInUser) => {
  const { balance, owed } = await balanceOf(billing.world.pool, user.accountId)
  return { balance, owed }
}
const suspended = (user: SignedInUser) => billing.world.console.ports.accounts.suspended(user.accountId)
const intentOf = (session: { payment_intent: string | null }) => String(session.payment_intent)
const paymentOf = async (id: string) => (await billing.world.pool.query('select * from payment where id = $1', [id])).rows[0]
/** Spends this much of an account's balance on a request. */
const spend = (user: SignedInUser, total: bigint) => billing.world.settle(user, { at: billing.world.clock.at, total })

describe('a payment', () => {
  it('is credited by its event, with an entry that names it', async () => {
    const { session, user, paymentId } = await billing.startPayment(10)
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 0n })
    expect(await billing.send(COMPLETED, billing.stripe.pay(session.id))).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
    expect(await billing.entries(user)).toEqual([{ id: `top_${paymentId}`, kind: 'top_up', amount: 10n * UNIT, owed: 0n }])
    expect(await paymentOf(paymentId)).toMatchObject({ state: 'paid', session_id: session.id, intent_id: session.payment_intent })
  })

  it('is credited once when its event comes again, and when another event says the same', async () => {
    const { session, user } = await billing.startPayment(3)
    const delivery = signEvent(COMPLETED, billing.stripe.pay(session.id))
    for (let turn = 0; turn < 3; turn++) expect(await billing.deliver(delivery)).toBe(200)
    expect(await billing.send('checkout.session.async_payment_succeeded', session)).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 3n * UNIT, owed: 0n })
    expect(await billing.entries(user)).toHaveLength(1)
  })

  it('is credited once when its events come at the same time', async () => {
    const { session, user } = await billing.startPayment(4)
    const paidSession = billing.stripe.pay(session.id)
    const delivery = signEvent(COMPLETED, paidSession)
    const deliveries = [delivery, delivery, delivery, signEvent(COMPLETED, paidSession), signEvent(COMPLETED, paidSession)]
    expect(await Promise.all(deliveries.map(billing.deliver))).toEqual([200, 200, 200, 200, 200])
    expect(await balancesOf(user)).toEqual({ balance: 4n * UNIT, owed: 0n })
  })

  it('that takes days is shown as under way, and credited when its money has come', async () => {
    const { session, user, paymentId } = await billing.startPayment(5)
    expect(await billing.send(COMPLETED, { ...session, status: 'complete' })).toBe(200)
    expect((await paymentOf(paymentId)).state).toBe('processing')
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 0n })
    expect(await billing.send('checkout.session.async_payment_succeeded', billing.stripe.pay(session.id))).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 5n * UNIT, owed: 0n })
  })

  it.each(['checkout.session.async_payment_failed', 'checkout.session.expired'])('is not undone by a late %s', async (type) => {
    const { session, user, paymentId } = await billing.completePayment(2)
    expect(await billing.send(type, { ...session, payment_status: 'unpaid' })).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 2n * UNIT, owed: 0n })
    expect((await paymentOf(paymentId)).state).toBe('paid')
  })

  it('that ended is credited all the same where the money did come', async () => {
    const { session, user, paymentId } = await billing.startPayment(2)
    await billing.send('checkout.session.async_payment_failed', session)
    expect((await paymentOf(paymentId)).state).toBe('failed')
    // The first event arrives late and does not revive the payment.
    await billing.send(COMPLETED, session)
    expect((await paymentOf(paymentId)).state).toBe('failed')
    await billing.send(COMPLETED, billing.stripe.pay(session.id))
    expect(await balancesOf(user)).toEqual({ balance: 2n * UNIT, owed: 0n })
  })

  it('keeps the addresses of its invoice and receipt, whichever event comes first', async () => {
    const { session, paymentId } = await billing.startPayment(2)
    const plan = billing.stripe.plans.get(session.id)
    const paidSession = billing.stripe.pay(session.id)
    await billing.send('invoice.paid', invoiceObject('in_1', plan?.invoiceMetadata ?? {}))
    await billing.send(COMPLETED, paidSession)
    await billing.send('charge.succeeded', chargeObject(intentOf(paidSession), 200, plan?.intentMetadata ?? {}))
    expect(await paymentOf(paymentId)).toMatchObject({
      invoice_url: 'https://invoice.stripe.example/i/in_1',
      receipt_url: `https://pay.stripe.example/receipts/${intentOf(paidSession)}`,
    })
  })
})

describe('what is not credited', () => {
  const expectUntouched = async (user: SignedInUser) => {
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 0n })
    expect(await billing.entries(user)).toEqual([])
  }
  it.each([
    ['signed with another secret', { secret: 'whsec_somebody_else' }],
    ['signed ten minutes ago', { ageS: 600 }],
  ])('an event %s: 400', async (_, how) => {
    const { session, user } = await billing.startPayment()
    expect(await billing.send(COMPLETED, billing.stripe.pay(session.id), how)).toBe(400)
    await expectUntouched(user)
  })

  it.each([
    ['without a signature', (body: string) => ({ body })],
    ['with a garbled signature', (body: string) => ({ body, signature: 't=1,v1=00' })],
    ['with an empty signature', (body: string) => ({ body, signature: '' })],
    ['changed on its way', (body: string, signature: string) => ({ body: body.replace('"usd"', '"eur"'), signature })],
  ])('an event %s: 400', async (_, change) => {
    const { session, user } = await billing.startPayment()
    const { body, signature } = signEvent(COMPLETED, billing.stripe.pay(session.id))
    expect(await billing.deliver(change(body, signature))).toBe(400)
    await expectUntouched(user)
  })

  it('a rejected event is counted and logged, each reason at most once a minute, without its content', async () => {
    const { world } = billing
    const { session } = await billing.startPayment()
    const send = (how: Parameters<typeof signEvent>[2]) => billing.send(COMPLETED, billing.stripe.pay(session.id), how)
    const later = (ms: number) => {
      world.clock.at = new Date(world.clock.at.getTime() + ms)
    }
    // Logs what the tests before this one have left to log.
    later(60_000)
    await send({ secret: 'whsec_somebody_else' })
    await send({ ageS: 600 })
    later(60_000)
    world.rejectedEvents.length = 0
    world.errors.length = 0
    await send({ secret: 'whsec_somebody_else' })
    await send({ secret: 'whsec_somebody_else' })
    await send({ secret: 'whsec_somebody_else', ageS: 600 })
    await send({ ageS: 600 })
    expect(world.rejectedEvents).toEqual(['wrong_signature', 'wrong_signature', 'wrong_signature', 'too_old'])
    expect(world.errors).toEqual([
      { reason: 'wrong_signature', events: 1 },
      { reason: 'too_old', events: 1 },
    ])
    later(59_000)
    await send({ secret: 'whsec_somebody_else' })
    expect(world.errors).toHaveLength(2)
    later(1_000)
    await billing.deliver({ body: '{}' })
    expect(world.errors[2]).toEqual({ reason: 'wrong_signature', events: 4 })
  })

  it.each([
    ['another currency', { currency: 'eur' }],
    ['a smaller amount', { amount_total: 999 }],
    ['a larger amount', { amount_total: 1001 }],
    ['no amount', { amount_total: null }],
    ['another account', { client_reference_id: 'acc_other' }],
    ['no account', { client_reference_id: null }],
    ['another session', { id: 'cs_other' }],
    ['an unknown payment of ours', { metadata: { tollgate_payment: 'pay_unknown' } }],
  ])('%s: 500, so that it is sent again and seen', async (_, change) => {
    const { session, user, paymentId } = await billing.startPayment()
    expect(await billing.send(COMPLETED, { ...billing.stripe.pay(session.id), ...change })).toBe(500)
    await expectUntouched(user)
    expect((await paymentOf(paymentId)).state).toBe('open')
    expect(billing.world.errors).toHaveLength(1)
    // A refused event leaves no key behind: the genuine event is accepted.
    expect(await billing.send(COMPLETED, session)).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
  })

  it('a payment whose account is gone: 500, and nothing is half done', async () => {
    const { session, paymentId, user } = await billing.startPayment()
    await billing.world.pool.query("update payment set account_id = 'acc_gone' where id = $1", [paymentId])
    const paidSession = { ...billing.stripe.pay(session.id), client_reference_id: 'acc_gone' }
    expect(await billing.send(COMPLETED, paidSession)).toBe(500)
    expect(await paymentOf(paymentId)).toMatchObject({ state: 'open', intent_id: null })
    await expectUntouched(user)
  })

  it.each([
    ['a kind that we do not know', 'customer.subscription.created', { id: 'sub_1' }],
    ['a session of another shop', COMPLETED, { metadata: {} }],
    ['a subscription', COMPLETED, { mode: 'subscription' }],
    ['an inherited name', 'constructor', {}],
  ])('%s: 200 and nothing', async (_, type, change) => {
    const { session, user } = await billing.startPayment()
    expect(await billing.send(type, { ...billing.stripe.pay(session.id), ...change })).toBe(200)
    await expectUntouched(user)
  })

  it('an event of a kind that we know in a shape that we do not: 500', async () => {
    expect(await billing.send(COMPLETED, { object: 'checkout.session' })).toBe(500)
  })

  it('anything while the database is down: 500, and the repeat is credited', async () => {
    const { session, user } = await billing.startPayment(6)
    const delivery = signEvent(COMPLETED, billing.stripe.pay(session.id))
    const connect = vi.spyOn(billing.world.pool, 'connect').mockImplementation(() => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    })
    expect(await billing.deliver(delivery)).toBe(500)
    connect.mockRestore()
    await expectUntouched(user)
    expect(await billing.deliver(delivery)).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 6n * UNIT, owed: 0n })
  })

  it('a connection that breaks before the commit: 500, and the repeat is credited once', async () => {
    const { session, user } = await billing.startPayment(7)
    const delivery = signEvent(COMPLETED, billing.stripe.pay(session.id))
    // The delivery waits for the locked account, and then its connection is cut.
    const holder = await billing.world.pool.connect()
    await holder.query('begin')
    await holder.query('select 1 from purse where id = $1 for update', [user.accountId])
    const answer = billing.deliver(delivery)
    await vi.waitFor(async () => {
      // Within a transaction a second look would see the same as the first.
      const { rowCount } = await billing.world.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and wait_event_type = 'Lock'`,
      )
      expect(rowCount).toBe(1)
    }, 15_000)
    expect(await answer).toBe(500)
    await holder.query('rollback')
    holder.release()
    await expectUntouched(user)
    expect(await billing.deliver(delivery)).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 7n * UNIT, owed: 0n })
  })
})

describe('a refund', () => {
  it('takes what is free, once, whichever of its events come', async () => {
    const { session, user } = await billing.completePayment(10)
    const refund = refundObject('re_1', intentOf(session), 400)
    billing.stripe.refunds.set(intentOf(session), [refund])
    const charge = chargeObject(intentOf(session), 1000, {}, { amount_refunded: 400 })
    for (const [type, object] of [
      ['refund.created', { ...refund, status: 'pending' }],
      ['charge.refunded', charge],
      ['refund.updated', refund],
      ['charge.refund.updated', refund],
      ['charge.refunded', charge],
    ] as const)
      expect(await billing.send(type, object)).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 6n * UNIT, owed: 0n })
    expect(await suspended(user)).toBe(false)
  })

  it('is found through its charge where only that event comes, each of several', async () => {
    const { session, user } = await billing.completePayment(10)
    billing.stripe.refunds.set(intentOf(session), [
      refundObject('re_2a', intentOf(session), 100),
      refundObject('re_2b', intentOf(session), 250),
      refundObject('re_2c', intentOf(session), 500, { status: 'failed' }),
    ])
    expect(await billing.send('charge.refunded', chargeObject(intentOf(session), 1000, {}))).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 6_500_000_000n, owed: 0n })
  })

  it('of what was spent is owed, suspends the account, and the next credit pays it first', async () => {
    const { session, user } = await billing.completePayment(10)
    await spend(user, 8n * UNIT)
    expect(await billing.send('refund.created', refundObject('re_3', intentOf(session), 1000))).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 8n * UNIT })
    expect(await suspended(user)).toBe(true)
    await billing.completePayment(5, user)
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 3n * UNIT })
    expect(await suspended(user)).toBe(true)
    await billing.completePayment(5, user)
    expect(await balancesOf(user)).toEqual({ balance: 2n * UNIT, owed: 0n })
    expect(await suspended(user)).toBe(false)
  })

  it('that fails is given back, also where its end comes first', async () => {
    const { session, user } = await billing.completePayment(10)
    const refund = refundObject('re_4', intentOf(session), 300)
    expect(await billing.send('refund.failed', { ...refund, status: 'failed' })).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
    expect(await billing.send('refund.created', refund)).toBe(200)
    expect(await billing.send('refund.updated', { ...refund, status: 'failed' })).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
  })

  it('that comes before its payment is asked for again: 503', async () => {
    const { session, user } = await billing.startPayment(10)
    const paidSession = billing.stripe.pay(session.id)
    const refund = signEvent('refund.created', refundObject('re_5', intentOf(paidSession), 1000))
    expect(await billing.deliver(refund)).toBe(503)
    expect(await billing.entries(user)).toEqual([])
    await billing.send(COMPLETED, paidSession)
    expect(await billing.deliver(refund)).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 0n })
  })

  it.each([
    ['of another shop', 200, { payment_intent: 'pi_other_1' }],
    ['of an intent that Stripe does not know', 200, { payment_intent: 'pi_nobody' }],
    ['without an intent', 200, { payment_intent: null }],
    ['in another currency', 500, { currency: 'eur' }],
    ['of more than was paid', 500, { amount: 1001 }],
    ['of nothing', 200, { amount: 0 }],
  ])('%s takes nothing: %d', async (_, status, change) => {
    const { session, user } = await billing.completePayment(10)
    const refund = { ...refundObject('re_6', intentOf(session), 1000), ...change }
    expect(await billing.send('refund.created', refund)).toBe(status)
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
  })

  it('that is delivered many times at once takes once', async () => {
    const { session, user } = await billing.completePayment(10)
    const refund = refundObject('re_7', intentOf(session), 600)
    const deliveries = Array.from({ length: 6 }, () => billing.send('refund.created', refund))
    expect(await Promise.all(deliveries)).toEqual([200, 200, 200, 200, 200, 200])
    expect(await balancesOf(user)).toEqual({ balance: 4n * UNIT, owed: 0n })
  })

  it('asks Stripe again later while Stripe does not answer', async () => {
    const { session, user } = await billing.completePayment(10)
    billing.stripe.refunds.set(intentOf(session), [refundObject('re_8', intentOf(session), 100)])
    const delivery = signEvent('charge.refunded', chargeObject(intentOf(session), 1000, {}))
    billing.stripe.down = true
    expect(await billing.deliver(delivery)).toBe(500)
    billing.stripe.down = false
    expect(await billing.deliver(delivery)).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 9n * UNIT, owed: 0n })
  })
})

describe('a dispute', () => {
  it('takes when it is made, once, and keeps what is lost', async () => {
    const { session, user } = await billing.completePayment(10)
    const dispute = disputeObject('dp_1', intentOf(session), 1000)
    for (const type of ['charge.dispute.created', 'charge.dispute.funds_withdrawn', 'charge.dispute.updated'])
      expect(await billing.send(type, dispute)).toBe(200)
    await billing.send('charge.dispute.closed', { ...dispute, status: 'lost' })
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 0n })
  })

  it('that is won gives back, once, and ends the suspension', async () => {
    const { session, user } = await billing.completePayment(10)
    await spend(user, 4n * UNIT)
    const dispute = disputeObject('dp_2', intentOf(session), 1000)
    await billing.send('charge.dispute.created', dispute)
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 4n * UNIT })
    expect(await suspended(user)).toBe(true)
    await billing.send('charge.dispute.funds_reinstated', { ...dispute, status: 'won' })
    await billing.send('charge.dispute.closed', { ...dispute, status: 'won' })
    expect(await balancesOf(user)).toEqual({ balance: 6n * UNIT, owed: 0n })
    expect(await suspended(user)).toBe(false)
  })

  it('whose end comes first comes to the same', async () => {
    const { session, user } = await billing.completePayment(10)
    const dispute = disputeObject('dp_3', intentOf(session), 1000)
    await billing.send('charge.dispute.closed', { ...dispute, status: 'won' })
    await billing.send('charge.dispute.created', dispute)
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
  })

  it('that is only an inquiry takes nothing, until money is withdrawn', async () => {
    const { session, user } = await billing.completePayment(10)
    const inquiry = disputeObject('dp_4', intentOf(session), 1000, { status: 'warning_needs_response' })
    await billing.send('charge.dispute.created', inquiry)
    await billing.send('charge.dispute.closed', { ...inquiry, status: 'warning_closed' })
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
    await billing.send('charge.dispute.funds_withdrawn', { ...inquiry, status: 'needs_response' })
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 0n })
  })

  it('that was prevented by a refund is taken once, as the refund', async () => {
    const { session, user } = await billing.completePayment(20)
    const prevented = disputeObject('dp_prevented', intentOf(session), 1000, { status: 'prevented' })
    expect(await billing.send('charge.dispute.created', prevented)).toBe(200)
    expect(await billing.send('refund.created', refundObject('re_prevented', intentOf(session), 1000))).toBe(200)
    expect(await billing.send('charge.dispute.closed', prevented)).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
    // A dispute that did take money says so.
    expect(await billing.send('charge.dispute.funds_withdrawn', { ...prevented, id: 'dp_withdrawn' })).toBe(200)
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 0n })
  })

  it.each([
    ['less', 600],
    ['more than was paid', 1200],
  ])('that is of %s by the time it is won gives back what it took, and a person is told', async (_, amount) => {
    const { session, user, paymentId } = await billing.completePayment(10)
    const dispute = disputeObject(`dp_${amount}`, intentOf(session), 1000)
    expect(await billing.send('charge.dispute.created', dispute)).toBe(200)
    const changed = signEvent('charge.dispute.updated', { ...dispute, amount })
    for (let turn = 0; turn < 2; turn++) expect(await billing.deliver(changed)).toBe(200)
    const is = `${amount / 100} by now`
    expect(billing.world.errors).toMatchObject([
      { note: `10 was taken for the dispute ${dispute.id} of payment ${paymentId}, and it is of ${is}` },
    ])
    expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 0n })
    for (const type of ['charge.dispute.closed', 'charge.dispute.funds_reinstated'])
      expect(await billing.send(type, { ...dispute, amount, status: 'won' })).toBe(200)
    expect(billing.world.errors[1]).toMatchObject({ note: expect.stringContaining(`and is given back, and it is of ${is}`) })
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
    expect(await billing.entries(user)).toHaveLength(3)
  })

  it('that is lost after it was won takes nothing once more, and a person is told of each event that says so', async () => {
    const { session, user, paymentId } = await billing.completePayment(10)
    const dispute = disputeObject('dp_appeal', intentOf(session), 1000)
    const wonAtS = Math.floor(Date.now() / 1000) - 100
    const send = (type: string, status: string, created: number) =>
      billing.send(`charge.dispute.${type}`, { ...dispute, status }, { created })
    await send('created', 'needs_response', wonAtS - 50)
    await send('closed', 'won', wonAtS)
    // A withdrawal from before the dispute was won, or from the same second, arrives late: it is the one that was reinstated.
    await send('funds_withdrawn', 'needs_response', wonAtS - 50)
    await send('updated', 'lost', wonAtS)
    await send('funds_reinstated', 'won', wonAtS + 1)
    expect(billing.world.errors).toEqual([])
    const withdrawn = signEvent('charge.dispute.funds_withdrawn', { ...dispute, status: 'won' }, { created: wonAtS + 50 })
    for (let turn = 0; turn < 2; turn++) expect(await billing.deliver(withdrawn)).toBe(200)
    expect(await send('closed', 'lost', wonAtS + 60)).toBe(200)
    const note = `10 was given back of the dispute dp_appeal of payment ${paymentId}, which is lost since: no more than once is taken for it, so deduct it from account ${user.accountId} or bear it`
    expect(billing.world.errors).toMatchObject([{ note }, { note }])
    // Won again: nothing was taken for the loss, so nothing is given back. If the operator has deducted it, the log says so.
    expect(await send('funds_reinstated', 'won', wonAtS + 90)).toBe(200)
    const wonAgainNote = `the dispute dp_appeal of payment ${paymentId} is won again after a loss: what was deducted for that loss from account ${user.accountId} is to be given back`
    expect(billing.world.errors).toMatchObject([{ note }, { note }, { note: wonAgainNote }])
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
    expect(await billing.entries(user)).toHaveLength(3)
  })

  it('that is won again after it was closed as lost is told to a person, though no event withdrew the money', async () => {
    const { session, user } = await billing.completePayment(10)
    const dispute = disputeObject('dp_again', intentOf(session), 1000)
    const wonAtS = Math.floor(Date.now() / 1000) - 100
    const send = (type: string, status: string, created: number) =>
      billing.send(`charge.dispute.${type}`, { ...dispute, status }, { created })
    await send('created', 'needs_response', wonAtS - 50)
    await send('closed', 'won', wonAtS)
    // These say again that it is won, and nothing is lost yet.
    await send('updated', 'won', wonAtS + 1)
    await send('funds_reinstated', 'won', wonAtS + 2)
    expect(billing.world.errors).toEqual([])
    await send('closed', 'lost', wonAtS + 50)
    await send('funds_reinstated', 'won', wonAtS + 90)
    expect(billing.world.errors).toMatchObject([
      { note: expect.stringContaining('which is lost since') },
      { note: expect.stringContaining('is won again after a loss') },
    ])
    expect(await balancesOf(user)).toEqual({ balance: 10n * UNIT, owed: 0n })
  })

  it('lifts no suspension that had another reason', async () => {
    const { session, user } = await billing.completePayment(10)
    await spend(user, 10n * UNIT)
    await billing.world.pool.query("update account set suspended_at = now(), suspended_reason = 'abuse' where id = $1", [
      user.accountId,
    ])
    const dispute = disputeObject('dp_5', intentOf(session), 1000)
    await billing.send('charge.dispute.created', dispute)
    await billing.send('charge.dispute.closed', { ...dispute, status: 'won' })
    expect(await suspended(user)).toBe(true)
  })
})

it('a payment of an account that owes says how much of it paid the debt', async () => {
  const { session, user } = await billing.completePayment(10)
  await spend(user, 8n * UNIT)
  await billing.send('refund.created', refundObject('re_debt', intentOf(session), 1000))
  expect(await balancesOf(user)).toEqual({ balance: 0n, owed: 8n * UNIT })
  const view = async (id: string) => {
    const { paidOwedNano, amountNano } = await getPayment({ ctx: billing.world.as(user), input: { id } })
    return [BigInt(amountNano) / UNIT, BigInt(paidOwedNano) / UNIT]
  }
  const openPayment = await billing.startPayment(5, user)
  expect(await view(openPayment.paymentId)).toEqual([5n, 0n])
  const [allToDebt, partToDebt, noneToDebt] = [
    await billing.completePayment(5, user),
    await billing.completePayment(7, user),
    await billing.completePayment(2, user),
  ]
  expect(await view(allToDebt.paymentId)).toEqual([5n, 5n])
  expect(await view(partToDebt.paymentId)).toEqual([7n, 3n])
  expect(await view(noneToDebt.paymentId)).toEqual([2n, 0n])
})
