import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SignedInUser } from '#lib/services/ports'
import { STRIPE_KEY, signEvent } from '../fakes/stripe-events.ts'
import { chargeObject, type FakeSession, refundObject } from '../fakes/stripe-objects.ts'
import { type CommandResult, runCommand } from '../support/command.ts'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type BillingWorld, openBillingWorld, UNIT } from './billing-world.ts'

let billing: BillingWorld
beforeAll(async () => {
  billing = await openBillingWorld()
})
afterAll(() => billing.close())
beforeEach(() => {
  billing.stripe.events.length = 0
  billing.stripe.down = false
})
afterEach(() => expectBalancedBooks(billing.world.pool))

const COMPLETED = 'checkout.session.completed'
let clock = Math.floor(Date.now() / 1000) - 1000

const run = (...args: string[]): Promise<CommandResult> =>
  runCommand('payments', args, {
    DATABASE_URL: billing.world.url,
    STRIPE_SECRET_KEY: STRIPE_KEY,
    STRIPE_WEBHOOK_SECRET: 'whsec_another',
    STRIPE_API_BASE: billing.stripe.url,
  })

/** Makes Stripe know of an event that is not delivered. */
function addUndeliveredEvent(type: string, object: object, options: { id?: string; created?: number } = {}): void {
  clock += 1
  billing.stripe.events.push(JSON.parse(signEvent(type, structuredClone(object), { created: clock, ...options }).body))
}

const balance = async ({ accountId }: SignedInUser) => (await balanceOf(billing.world.pool, accountId)).balance
const rowOf = async (id: string) => (await billing.world.pool.query('select * from payment where id = $1', [id])).rows[0]
/** Makes the database look restored from a backup that is older than the payment. */
const deletePayment = (id: string) => billing.world.pool.query('delete from payment where id = $1', [id])
const pay = (session: FakeSession) => billing.stripe.pay(session.id)

describe('what Stripe has told and nobody heard', () => {
  it('is done in the order in which it happened, and once', async () => {
    const { session, user, paymentId } = await billing.startPayment(10)
    addUndeliveredEvent(COMPLETED, pay(session))
    addUndeliveredEvent('refund.created', refundObject('re_late', String(session.payment_intent), 300))
    const first = await run()
    expect(first).toMatchObject({ code: 0, errors: '' })
    expect(first.out).toMatch(new RegExp(`paid +10 USD +${paymentId}\\n.*refund +3 USD +re_late`))
    expect(first.out).toContain('missing here and are now booked: 2.')
    expect(await balance(user)).toBe(7n * UNIT)
    const secondRun = await run()
    expect(secondRun.out).toContain('2 Stripe events since')
    expect(secondRun.out).toContain('missing here and are now booked: 0.')
    expect(await balance(user)).toBe(7n * UNIT)
  })

  it('is not done again where it was heard', async () => {
    const { session, user } = await billing.startPayment(5)
    const delivery = signEvent(COMPLETED, pay(session))
    expect(await billing.deliver(delivery)).toBe(200)
    billing.stripe.events.push(JSON.parse(delivery.body))
    // Another event may report the same thing.
    addUndeliveredEvent('checkout.session.async_payment_succeeded', session)
    expect((await run()).out).toContain('missing here and are now booked: 0.')
    expect(await balance(user)).toBe(5n * UNIT)
  })

  it('is looked for since a time, on as many pages as there are', async () => {
    const { session, user } = await billing.startPayment(2)
    addUndeliveredEvent(COMPLETED, pay(session))
    for (let each = 0; each < 230; each++) addUndeliveredEvent('charge.updated', { id: `ch_${each}`, object: 'charge' })
    const lateRun = await run('--since', new Date((clock + 1) * 1000).toISOString())
    expect(lateRun.out).toMatch(/^0 Stripe events/)
    expect(await balance(user)).toBe(0n)
    expect((await run('--since', '2020-01-01')).out).toContain('231 Stripe events since 2020-01-01T00:00:00.000Z')
    expect(await balance(user)).toBe(2n * UNIT)
  })
})

describe('a payment whose record was lost', () => {
  it('is written down again and credited, with its refund, once', async () => {
    const { session, user, paymentId } = await billing.startPayment(8)
    await deletePayment(paymentId)
    // The intent of a page's payment comes first, and names no account.
    const intent = { id: 'pi_x', amount: 800, amount_received: 800, currency: 'usd', metadata: { tollgate_payment: paymentId } }
    addUndeliveredEvent('payment_intent.succeeded', intent)
    addUndeliveredEvent(COMPLETED, pay(session))
    addUndeliveredEvent('refund.created', refundObject('re_lost', String(session.payment_intent), 100))
    const first = await run()
    expect(first.code).toBe(0)
    expect(first.out).toContain(`${paymentId}, whose record was lost`)
    expect(await balance(user)).toBe(7n * UNIT)
    expect(await rowOf(paymentId)).toMatchObject({
      state: 'paid',
      source: 'checkout',
      session_id: session.id,
      amount_minor: '800',
    })
    expect((await run()).out).toContain('missing here and are now booked: 0.')
    expect(await balance(user)).toBe(7n * UNIT)
    // Stripe may also deliver it again by itself.
    expect(await billing.send(COMPLETED, session)).toBe(200)
    expect(await balance(user)).toBe(7n * UNIT)
  })

  it('that the gateway made by itself is told by its intent', async () => {
    const user = await billing.world.newUser()
    const metadata = { tollgate_payment: 'pay_auto_lost', tollgate_account: user.accountId }
    const intent = {
      id: 'pi_auto_lost',
      amount: 2000,
      amount_received: 2000,
      currency: 'usd',
      customer: 'cus_1',
      payment_method: 'pm_1',
      metadata,
    }
    addUndeliveredEvent('payment_intent.succeeded', intent)
    expect(await run()).toMatchObject({ code: 0, errors: '' })
    expect(await balance(user)).toBe(20n * UNIT)
    expect(await rowOf('pay_auto_lost')).toMatchObject({
      state: 'paid',
      source: 'auto',
      intent_id: 'pi_auto_lost',
      customer_id: 'cus_1',
    })
  })

  it('that was never paid stays lost, without a word', async () => {
    const { session, paymentId } = await billing.startPayment(8)
    await deletePayment(paymentId)
    addUndeliveredEvent('checkout.session.expired', { ...session, status: 'expired' })
    expect(await run()).toMatchObject({ code: 0 })
    expect(await rowOf(paymentId)).toBeUndefined()
  })

  it('of an account that was lost too is told to a person, with what to do', async () => {
    const { session, paymentId } = await billing.startPayment(8)
    await deletePayment(paymentId)
    addUndeliveredEvent(COMPLETED, { ...pay(session), client_reference_id: 'acc_lost' }, { id: 'evt_lost' })
    const result = await run()
    expect(result.code).toBe(2)
    expect(result.out).toMatch(/LOOK AT +evt_lost .*of another gateway, or of an account that was lost \(acc_lost\)/)
    expect(await rowOf(paymentId)).toBeUndefined()
  })
})

it('one event that cannot be read is told to a person, and those around it are done', async () => {
  const [first, last] = [await billing.startPayment(4), await billing.startPayment(6)]
  addUndeliveredEvent(COMPLETED, pay(first.session))
  addUndeliveredEvent(COMPLETED, { id: 'cs_other_product', object: 'checkout.session' }, { id: 'evt_odd' })
  addUndeliveredEvent(COMPLETED, pay(last.session))
  const result = await run()
  expect(result.code).toBe(2)
  expect(result.out).toMatch(/LOOK AT +evt_odd .*could not be read or booked/)
  expect(result.out).toContain('missing here and are now booked: 2.')
  expect([await balance(first.user), await balance(last.user)]).toEqual([4n * UNIT, 6n * UNIT])
})

it('what happened within one second is done in its order, and a receipt after its payment', async () => {
  const { session, user, paymentId } = await billing.startPayment(8)
  await deletePayment(paymentId)
  const eventTime = { created: clock + 1 }
  addUndeliveredEvent(
    'charge.succeeded',
    chargeObject(String(pay(session).payment_intent), 800, { tollgate_payment: paymentId }),
    eventTime,
  )
  addUndeliveredEvent(COMPLETED, session, eventTime)
  addUndeliveredEvent('refund.created', refundObject('re_same_second', String(session.payment_intent), 300), eventTime)
  expect(await run()).toMatchObject({ code: 0 })
  expect(await balance(user)).toBe(5n * UNIT)
  expect(await rowOf(paymentId)).toMatchObject({ receipt_url: expect.stringContaining('https://') })
})

it('a lost payment in another currency than that of balances is told to a person', async () => {
  const { session, user, paymentId } = await billing.startPayment(8)
  await deletePayment(paymentId)
  addUndeliveredEvent(COMPLETED, { ...pay(session), currency: 'jpy' })
  const result = await run()
  expect(result.code).toBe(2)
  expect(result.out).toContain('was made in jpy, and balances are kept in usd')
  expect(await balance(user)).toBe(0n)
})

it('what contradicts our records is told to a person, and the rest is done', async () => {
  const [mismatched, matching] = [await billing.startPayment(4), await billing.startPayment(6)]
  addUndeliveredEvent(COMPLETED, { ...pay(mismatched.session), amount_total: 40_000 })
  addUndeliveredEvent(COMPLETED, pay(matching.session))
  const result = await run()
  expect(result.code).toBe(2)
  expect(result.out).toMatch(/LOOK AT .* the amount 40000 instead of 400/)
  expect([await balance(mismatched.user), await balance(matching.user)]).toEqual([0n, 6n * UNIT])
})

it('an outage, and a time that is none, change nothing and say so', async () => {
  const { session, user } = await billing.startPayment(4)
  addUndeliveredEvent(COMPLETED, pay(session))
  billing.stripe.down = true
  expect(await run()).toMatchObject({
    code: 1,
    errors: expect.stringContaining('Stripe cannot be reached right now, or fails. Nothing was booked.'),
  })
  billing.stripe.down = false
  billing.stripe.revoked = true
  const refused = await run()
  billing.stripe.revoked = false
  expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('Check STRIPE_SECRET_KEY') })
  expect(refused.errors).not.toContain('paid')
  for (const invalidDate of ['yesterday', '2026-02-31', '2026-11-24T08:00:00', '2100-01-01', ''])
    expect(await run('--since', invalidDate)).toMatchObject({ code: 1, errors: expect.stringContaining('Usage:') })
  expect(await balance(user)).toBe(0n)
})
