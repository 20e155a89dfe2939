import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { runAutoTopUps } from '#lib/services/billing/run-auto-top-ups'
import type { SignedIn } from '#lib/services/ports'
import { createAutoTopUps } from '#lib/store/console/auto-top-ups'
import { signedEvent } from '../fakes/stripe.ts'
import { disputeObject, type FakeIntent, intentObject, refundObject } from '../fakes/stripe-objects.ts'
import { expectBooks, openLedger } from '../support/ledger.ts'
import { balanceOf } from '../support/world.ts'
import { type AutoWorld, openAutoWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'
import { NOW } from './console-world.ts'

const HOUR_MS = 3_600_000

let auto: AutoWorld
beforeAll(async () => {
  auto = await openAutoWorld()
})
afterAll(() => auto.close())
beforeEach(async () => {
  const { billing } = auto
  billing.stripe.cards.bank = 'pays'
  billing.stripe.down = false
  billing.stripe.mute = false
  billing.world.clock.at = NOW
  billing.world.errors.length = 0
  // What earlier tests left is not topped up by the rounds of the next one.
  await billing.world.pool.query(
    "update auto_top_up set enabled = false; update payment set state = 'expired' where state = 'open'",
  )
})
// Whatever was paid or not, every nano is explained.
afterEach(() => expectBooks(auto.billing.world.pool))

const balance = async (user: SignedIn) => (await balanceOf(auto.billing.world.pool, user.accountId)).balance
const only = (user: SignedIn): FakeIntent => {
  const intents = auto.intents(user)
  expect(intents).toHaveLength(1)
  return intents[0] as FakeIntent
}
const states = async (user: SignedIn) => (await auto.payments(user)).map(({ state, failure }) => [state, failure])
const notices = async (user: SignedIn) =>
  (await auto.billing.world.pool.query('select kind, body from notice where account_id = $1 order by id', [user.accountId])).rows

describe('an account below its threshold', () => {
  it('is not charged for more than it can be credited in its life', async () => {
    const user = await auto.payer(10)
    await auto.switchOn(user)
    await auto.billing.fill(user, 19)
    await auto.billing.world.settle(user, { at: NOW, total: (await balance(user)) - UNIT })
    expect(await auto.run()).toBe(0)
    await auto.switchOn(user, { amount: 19 })
    expect(await auto.run()).toBe(1)
    expect(await auto.tell(only(user))).toBe(200)
    expect(await balance(user)).toBe(20n * UNIT)
  })

  it('is charged once, and credited by the event alone', async () => {
    const user = await auto.payer(10)
    await auto.switchOn(user)
    expect(await auto.run()).toBe(0)
    await auto.spend(user, 6)
    expect(await auto.run()).toBe(1)
    const [row] = await auto.payments(user)
    const intent = only(user)
    expect(row).toMatchObject({
      state: 'processing',
      amount_nano: String(20n * UNIT),
      amount_minor: '2000',
      intent_id: intent.id,
    })
    expect(await balance(user)).toBe(4n * UNIT)
    const asked = auto.billing.stripe.asked.findLast(({ path, method }) => method === 'POST' && path === '/v1/payment_intents')
    expect(asked?.key).toBe(row?.id)
    expect(asked?.form.get('metadata[tollgate_payment]')).toBe(row?.id)
    // While it is under way nothing else is begun.
    expect(await auto.run()).toBe(0)
    expect(await auto.tell(intent)).toBe(200)
    expect(await balance(user)).toBe(24n * UNIT)
    expect(await auto.billing.entries(user)).toContainEqual({
      id: `top_${row?.id}`,
      kind: 'top_up',
      amount: 20n * UNIT,
      owed: 0n,
    })
    expect(await auto.run()).toBe(0)
    expect(auto.intents(user)).toHaveLength(1)
  })

  it('is not charged while it is off, has no card, or Stripe is not set up', async () => {
    const [off, bare] = [await auto.payer(2), await auto.payer(2)]
    await auto.switchOn(off)
    await auto.billing.world.console.ports.autoTopUps.set(off.accountId, null, NOW)
    await auto.switchOn(bare)
    await auto.billing.world.pool.query('delete from saved_card where account_id = $1', [bare.accountId])
    expect(await auto.run()).toBe(0)
    const user = await auto.payer(2)
    await auto.switchOn(user)
    const { ports } = auto.billing.world.console
    expect(await runAutoTopUps({ ctx: { ...ports, stripe: { ...ports.stripe, configured: false } } })).toBe(0)
    expect(await auto.payments(user)).toEqual([])
  })

  it.each([
    ['is suspended', "update account set suspended_at = now(), suspended_reason = 'abuse' where id = $1"],
    ['waits after a failure', "update auto_top_up set retry_at = '2026-11-20T15:20:00.001Z' where account_id = $1"],
  ])('is not charged while it %s', async (_, change) => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    await auto.billing.world.pool.query(change, [user.accountId])
    expect(await auto.run()).toBe(0)
    expect(auto.intents(user)).toEqual([])
  })

  it('is not charged while it owes for a dispute', async () => {
    const { user, session } = await auto.billing.paid(10, undefined, true)
    await auto.spend(user, 8)
    await auto.billing.send('charge.dispute.created', disputeObject(`dp_${user.accountId}`, String(session.payment_intent), 1000))
    expect((await balanceOf(auto.billing.world.pool, user.accountId)).owed).toBe(8n * UNIT)
    await auto.switchOn(user)
    expect(await auto.run()).toBe(0)
    // Nor where the debt suspends it no more: what the card paid would go to whoever disputes.
    await auto.billing.world.pool.query('update account set suspended_at = null where id = $1', [user.accountId])
    expect(await auto.run()).toBe(0)
    expect(auto.intents(user)).toEqual([])
  })

  it('counts what running requests hold as spent, and what is merely lent as free', async () => {
    const { world } = auto.billing
    const [holding, lent] = [await auto.payer(20), await auto.payer(20)]
    await auto.switchOn(holding, { threshold: 15 })
    await auto.switchOn(lent, { threshold: 15 })
    const ledger = await openLedger(world.pool, world.url)
    const listener = await world.pool.connect()
    await listener.query('listen tollgate_recall')
    listener.on('notification', ({ payload }) => ledger.wallet.recall(payload ?? ''))
    const hold = { keyId: 'key_test', budgets: [] }
    expect('refused' in (await ledger.wallet.hold({ ...hold, accountId: holding.accountId, amount: 6n * UNIT }))).toBe(false)
    const small = await ledger.wallet.hold({ ...hold, accountId: lent.accountId, amount: 6n * UNIT })
    if ('refused' in small) throw new Error(small.refused)
    small.end(0n)
    expect((await balanceOf(world.pool, lent.accountId)).leased).toBeGreaterThan(5n * UNIT)
    expect(await auto.run()).toBe(1)
    expect(auto.intents(holding)).toHaveLength(1)
    expect(auto.intents(lent)).toEqual([])
    listener.release(true)
    await ledger.close()
  })
})

describe('several processes', () => {
  it('make one payment of what they see at the same time', async () => {
    const { world } = auto.billing
    const user = await auto.payer(2)
    await auto.switchOn(user)
    const pools = Array.from({ length: 3 }, () => new pg.Pool({ connectionString: world.url }))
    const all = pools.map((pool) => ({ ...world.console.ports, autoTopUps: createAutoTopUps(pool) }))
    const busy = await Promise.all([...all, ...all].map((ctx) => runAutoTopUps({ ctx })))
    expect(busy.reduce((sum, count) => sum + count)).toBe(1)
    expect(await auto.tell(only(user))).toBe(200)
    expect(await balance(user)).toBe(22n * UNIT)
    await Promise.all(pools.map((pool) => pool.end()))
  })

  it('cannot have two payments of an account under way, whatever they do', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    await auto.run()
    await expect(
      auto.billing.world.pool.query(
        `insert into payment (id, account_id, request_id, source, amount_nano, amount_minor, currency, customer_id, method_id, created_at, asked_at)
         select 'pay_second', account_id, 'second', source, amount_nano, amount_minor, currency, customer_id, method_id, created_at, asked_at
         from payment where account_id = $1 and source = 'auto'`,
        [user.accountId],
      ),
    ).rejects.toMatchObject({ code: '23505', constraint: 'payment_one_auto' })
  })
})

describe('the ceiling of a month', () => {
  it('is never passed, and is new with the UTC month', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user, { threshold: 60, amount: 20, ceiling: 50 })
    auto.billing.world.clock.at = new Date('2026-11-30T23:59:59.999Z')
    for (let round = 0; round < 5; round++) {
      await auto.run()
      for (const intent of auto.intents(user)) await auto.tell(intent)
    }
    expect(auto.intents(user)).toHaveLength(2)
    expect(await balance(user)).toBe(42n * UNIT)
    auto.later(1)
    await auto.run()
    expect(auto.intents(user)).toHaveLength(3)
  })

  it('counts what is under way, and not what failed', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user, { amount: 20, ceiling: 20 })
    auto.billing.stripe.cards.bank = 'declines'
    await auto.run()
    auto.billing.stripe.cards.bank = 'pays'
    auto.later(HOUR_MS)
    expect(await auto.run()).toBe(1)
    expect(await states(user)).toEqual([
      ['failed', 'declined'],
      ['processing', null],
    ])
    expect(await auto.billing.world.console.ports.autoTopUps.paidSince(user.accountId, new Date('2026-11-01'))).toBe(20n * UNIT)
  })

  it('holds for processes that begin at once, one after the other', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user, { threshold: 500, amount: 20, ceiling: 100 })
    for (let round = 0; round < 8; round++) {
      await Promise.all([auto.run(), auto.run()])
      await Promise.all(auto.intents(user).map((intent) => auto.tell(intent)))
    }
    expect(auto.intents(user)).toHaveLength(5)
    expect(await balance(user)).toBe(102n * UNIT)
  })
})

describe('a payment that fails', () => {
  it('is tried again after an hour, after twelve, and then not any more; its holder is told each time', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.cards.bank = 'has_too_little'
    await auto.run()
    expect(await auto.settings(user)).toMatchObject({ enabled: true, failures: 1, retry_at: new Date(NOW.getTime() + HOUR_MS) })
    auto.later(HOUR_MS - 1)
    expect(await auto.run()).toBe(0)
    auto.later(1)
    expect(await auto.run()).toBe(1)
    expect(await auto.settings(user)).toMatchObject({ enabled: true, failures: 2 })
    auto.later(12 * HOUR_MS)
    expect(await auto.run()).toBe(1)
    expect(await auto.settings(user)).toMatchObject({ enabled: false, failures: 3, retry_at: null, off_reason: 'funds' })
    auto.later(100 * HOUR_MS)
    expect(await auto.run()).toBe(0)
    const failed = (await notices(user)).filter(({ kind }) => kind === 'top_up.failed')
    expect(failed.map(({ body }) => [body.off, body.waitMs, body.reason, body.card])).toEqual([
      [false, HOUR_MS, 'funds', 'Visa •••• 4242'],
      [false, 12 * HOUR_MS, 'funds', 'Visa •••• 4242'],
      [true, null, 'funds', 'Visa •••• 4242'],
    ])
    expect(await balance(user)).toBe(2n * UNIT)
  })

  it.each([
    ['wants_its_holder', 'authentication'],
    ['has_expired', 'expired'],
  ] as const)('because the bank %s switches it off at once', async (bank, reason) => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.cards.bank = bank
    await auto.run()
    expect(await auto.settings(user)).toMatchObject({ enabled: false, off_reason: reason })
    expect(await states(user)).toEqual([['failed', reason]])
  })

  it('because the card is gone at Stripe switches it off at once', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    const card = await auto.billing.world.console.ports.cards.find(user.accountId)
    auto.billing.stripe.cards.methods.delete(card?.methodId ?? '')
    await auto.run()
    expect(await auto.settings(user)).toMatchObject({ enabled: false, off_reason: 'card_gone' })
  })

  it('counts once, though the answer and the event both say so', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.cards.bank = 'declines'
    await auto.run()
    expect(await auto.tell(only(user), 'payment_intent.payment_failed')).toBe(200)
    expect(await auto.tell(only(user), 'payment_intent.canceled')).toBe(200)
    expect(await auto.settings(user)).toMatchObject({ failures: 1 })
    expect((await notices(user)).filter(({ kind }) => kind === 'top_up.failed')).toHaveLength(1)
  })

  it('is told by its event alone where the bank took its time', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.cards.bank = 'takes_its_time'
    await auto.run()
    expect(await states(user)).toEqual([['processing', null]])
    const failed = { ...only(user), status: 'requires_payment_method', last_payment_error: { code: 'expired_card' } }
    expect(await auto.tell(failed, 'payment_intent.payment_failed')).toBe(200)
    expect(await states(user)).toEqual([['failed', 'expired']])
    expect(await auto.settings(user)).toMatchObject({ enabled: false, off_reason: 'expired' })
  })

  it('is forgotten after one that succeeds', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.cards.bank = 'declines'
    await auto.run()
    auto.billing.stripe.cards.bank = 'pays'
    auto.later(HOUR_MS)
    await auto.run()
    await auto.tell(auto.intents(user).at(-1) as FakeIntent)
    expect(await auto.settings(user)).toMatchObject({ enabled: true, failures: 0, retry_at: null })
  })

  it('is credited all the same where the money did come, and not undone by a late failure', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.cards.bank = 'declines'
    await auto.run()
    const intent = only(user)
    expect(await auto.tell({ ...intent, status: 'succeeded', amount_received: 2000 })).toBe(200)
    expect(await auto.tell(intent, 'payment_intent.payment_failed')).toBe(200)
    expect(await balance(user)).toBe(22n * UNIT)
    expect((await states(user))[0]?.[0]).toBe('paid')
  })
})

describe('what nobody knows the end of', () => {
  const asked = () => auto.billing.stripe.asked.filter(({ method, path }) => method === 'POST' && path === '/v1/payment_intents')

  it('is asked again under the same key while Stripe is down, and paid once', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.down = true
    await auto.run()
    expect(await states(user)).toEqual([['open', null]])
    auto.later(60_000)
    expect(await auto.run()).toBe(0)
    auto.later(61_000)
    expect(await auto.run()).toBe(1)
    expect(await states(user)).toEqual([['open', null]])
    auto.billing.stripe.down = false
    auto.later(121_000)
    expect(await auto.run()).toBe(1)
    const [row] = await auto.payments(user)
    const keys = asked().filter(({ key }) => key === row?.id)
    expect(keys.length).toBeGreaterThan(1)
    expect(auto.intents(user)).toHaveLength(1)
    await auto.tell(only(user))
    expect(await balance(user)).toBe(22n * UNIT)
  })

  it('is found at Stripe where it was made and its answer was lost', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.mute = true
    await auto.run()
    expect(await states(user)).toEqual([['open', null]])
    expect(auto.intents(user)).toHaveLength(1)
    auto.billing.stripe.mute = false
    auto.later(121_000)
    const before = asked().length
    await auto.run()
    expect(asked()).toHaveLength(before)
    expect(await states(user)).toEqual([['processing', null]])
    await auto.tell(only(user))
    expect(await balance(user)).toBe(22n * UNIT)
  })

  it('is credited by an event that comes before the answer', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    const { ports } = auto.billing.world.console
    const stripe = {
      ...ports.stripe,
      async payAway(payment: Parameters<typeof ports.stripe.payAway>[0]) {
        const outcome = await ports.stripe.payAway(payment)
        expect(await auto.tell(only(user))).toBe(200)
        return outcome
      },
    }
    await runAutoTopUps({ ctx: { ...ports, stripe } })
    expect((await states(user))[0]?.[0]).toBe('paid')
    expect(await balance(user)).toBe(22n * UNIT)
  })

  it('is finished by another process where one died between the row and the question', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    const { ports } = auto.billing.world.console
    const dead = { ...ports.stripe, payAway: () => Promise.reject(new Error('killed')) }
    await expect(runAutoTopUps({ ctx: { ...ports, stripe: dead } })).rejects.toThrow('killed')
    expect(await states(user)).toEqual([['open', null]])
    expect(auto.intents(user)).toEqual([])
    auto.later(121_000)
    const busy = await Promise.all([auto.run(), auto.run(), auto.run()])
    expect(busy.reduce((sum, count) => sum + count)).toBe(1)
    await auto.tell(only(user))
    expect(await balance(user)).toBe(22n * UNIT)
  })

  it('is not asked for after its holder has switched it off', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.down = true
    await auto.run()
    auto.billing.stripe.down = false
    await auto.billing.world.console.ports.autoTopUps.set(user.accountId, null, NOW)
    auto.later(121_000)
    await auto.run()
    expect(await states(user)).toEqual([['expired', null]])
    expect(auto.intents(user)).toEqual([])
  })

  it('is given up after a day, when Stripe may have forgotten the key', async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    auto.billing.stripe.down = true
    await auto.run()
    auto.billing.stripe.down = false
    const before = asked().length
    auto.later(24 * HOUR_MS)
    await auto.run()
    expect(asked()).toHaveLength(before)
    expect(await states(user)).toEqual([['failed', 'unanswered']])
    expect(await auto.settings(user)).toMatchObject({ enabled: true, failures: 1 })
  })
})

describe('an event of an automatic payment', () => {
  const paying = async () => {
    const user = await auto.payer(2)
    await auto.switchOn(user)
    await auto.run()
    return { user, intent: only(user) }
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
    const { user, intent } = await paying()
    expect(await auto.tell({ ...intent, ...change, metadata: { ...intent.metadata, ...marks } })).toBe(500)
    expect(await balance(user)).toBe(2n * UNIT)
    expect(await auto.tell(intent)).toBe(200)
    expect(await balance(user)).toBe(22n * UNIT)
  })

  it('that is forged, stale or not signed is a 400', async () => {
    const { user, intent } = await paying()
    for (const how of [{ secret: 'whsec_somebody_else' }, { ageS: 600 }])
      expect(await auto.billing.send('payment_intent.succeeded', intent, how)).toBe(400)
    expect(await auto.billing.deliver({ body: signedEvent('payment_intent.succeeded', intent).body })).toBe(400)
    expect(await balance(user)).toBe(2n * UNIT)
  })

  it('that comes often, and at once, credits once', async () => {
    const { user, intent } = await paying()
    const one = signedEvent('payment_intent.succeeded', intent)
    const all = [one, one, one, signedEvent('payment_intent.succeeded', intent), signedEvent('payment_intent.succeeded', intent)]
    expect(await Promise.all(all.map(auto.billing.deliver))).toEqual([200, 200, 200, 200, 200])
    expect(await balance(user)).toBe(22n * UNIT)
    expect((await notices(user)).filter(({ body }) => body.automatic)).toHaveLength(1)
  })

  it('that comes while the database is down is a 500, and its repeat is credited', async () => {
    const { user, intent } = await paying()
    const connect = vi.spyOn(auto.billing.world.pool, 'connect').mockImplementation(() => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    })
    expect(await auto.tell(intent)).toBe(500)
    connect.mockRestore()
    expect(await auto.tell(intent)).toBe(200)
    expect(await balance(user)).toBe(22n * UNIT)
  })

  it('of a checkout credits nothing, and ends nothing: its session does', async () => {
    const { user, session, paymentId } = await auto.billing.start(7)
    const paid = auto.billing.stripe.pay(session.id)
    const intent = intentObject(String(paid.payment_intent), 700, { tollgate_payment: paymentId })
    expect(await auto.tell({ ...intent, last_payment_error: { code: 'card_declined' } }, 'payment_intent.payment_failed')).toBe(
      200,
    )
    expect(await auto.tell(intent)).toBe(200)
    expect(await balance(user)).toBe(0n)
    expect(await auto.billing.send('checkout.session.completed', paid)).toBe(200)
    expect(await balance(user)).toBe(7n * UNIT)
  })

  it('of another shop is nothing to us', async () => {
    expect(await auto.tell(intentObject('pi_shop', 100, {}))).toBe(200)
  })

  it('is followed by a refund that takes it back', async () => {
    const { user, intent } = await paying()
    const refund = signedEvent('refund.created', refundObject(`re_${randomUUID()}`, intent.id, 2000))
    expect(await auto.billing.deliver(refund)).toBe(503)
    await auto.tell(intent)
    expect(await auto.billing.deliver(refund)).toBe(200)
    expect(await balance(user)).toBe(2n * UNIT)
  })
})
