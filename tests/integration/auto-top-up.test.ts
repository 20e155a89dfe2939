import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HOUR_MS } from '#lib/domain/time-units'
import { runAutoTopUps } from '#lib/services/billing/run-auto-top-ups'
import { createAutoTopUps } from '#lib/store/console/auto-top-ups'
import { disputeObject } from '../fakes/stripe-objects.ts'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, openLedger } from '../support/ledger.ts'
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

describe('an account below its threshold', () => {
  it('is not charged for more than it can be credited in its life', async () => {
    const user = await auto.createPayer(10)
    await auto.enable(user)
    await auto.billing.fillCredit(user, 19)
    await auto.billing.world.settle(user, { at: NOW, total: (await auto.balance(user)) - UNIT })
    expect(await auto.run()).toBe(0)
    await auto.enable(user, { amount: 19 })
    expect(await auto.run()).toBe(1)
    expect(await auto.deliverEvent(auto.onlyIntent(user))).toBe(200)
    expect(await auto.balance(user)).toBe(20n * UNIT)
  })

  it('is charged once, and credited by the event alone', async () => {
    const user = await auto.createPayer(10)
    await auto.enable(user)
    expect(await auto.run()).toBe(0)
    await auto.spend(user, 6)
    expect(await auto.run()).toBe(1)
    const [row] = await auto.payments(user)
    const intent = auto.onlyIntent(user)
    expect(row).toMatchObject({
      state: 'processing',
      amount_nano: String(20n * UNIT),
      amount_minor: '2000',
      intent_id: intent.id,
    })
    expect(await auto.balance(user)).toBe(4n * UNIT)
    const intentRequest = auto.billing.stripe.asked.findLast(
      ({ path, method }) => method === 'POST' && path === '/v1/payment_intents',
    )
    expect(intentRequest?.key).toBe(row?.id)
    expect(intentRequest?.form.get('metadata[tollgate_payment]')).toBe(row?.id)
    // While it is in progress no other top-up starts.
    expect(await auto.run()).toBe(0)
    expect(await auto.deliverEvent(intent)).toBe(200)
    expect(await auto.balance(user)).toBe(24n * UNIT)
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
    const [disabledUser, cardlessUser] = [await auto.createPayer(2), await auto.createPayer(2)]
    await auto.enable(disabledUser)
    await auto.billing.world.console.ports.autoTopUps.set(disabledUser.accountId, null, NOW)
    await auto.enable(cardlessUser)
    await auto.billing.world.pool.query('delete from saved_card where account_id = $1', [cardlessUser.accountId])
    expect(await auto.run()).toBe(0)
    const user = await auto.createPayer(2)
    await auto.enable(user)
    const { ports } = auto.billing.world.console
    expect(await runAutoTopUps({ ctx: { ...ports, stripe: { ...ports.stripe, configured: false } } })).toBe(0)
    expect(await auto.payments(user)).toEqual([])
  })

  it.each([
    ['is suspended', "update account set suspended_at = now(), suspended_reason = 'abuse' where id = $1"],
    ['waits after a failure', "update auto_top_up set retry_at = '2026-11-20T15:20:00.001Z' where account_id = $1"],
  ])('is not charged while it %s', async (_, change) => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    await auto.billing.world.pool.query(change, [user.accountId])
    expect(await auto.run()).toBe(0)
    expect(auto.intents(user)).toEqual([])
  })

  it('is not charged while it owes for a dispute', async () => {
    const { user, session } = await auto.billing.completePayment(10, undefined, true)
    await auto.spend(user, 8)
    await auto.billing.send('charge.dispute.created', disputeObject(`dp_${user.accountId}`, String(session.payment_intent), 1000))
    expect((await balanceOf(auto.billing.world.pool, user.accountId)).owed).toBe(8n * UNIT)
    await auto.enable(user)
    expect(await auto.run()).toBe(0)
    // Not even when the debt no longer suspends the account: what the card paid would go to the person who disputes.
    await auto.billing.world.pool.query('update account set suspended_at = null where id = $1', [user.accountId])
    expect(await auto.run()).toBe(0)
    expect(auto.intents(user)).toEqual([])
  })

  it('counts what running requests hold as spent, and what is merely lent as free', async () => {
    const { world } = auto.billing
    const [holdingUser, leasedUser] = [await auto.createPayer(20), await auto.createPayer(20)]
    await auto.enable(holdingUser, { threshold: 15 })
    await auto.enable(leasedUser, { threshold: 15 })
    const ledger = await openLedger(world.pool, world.url)
    const listener = await world.pool.connect()
    await listener.query('listen tollgate_recall')
    listener.on('notification', ({ payload }) => ledger.wallet.recall(payload ?? ''))
    const hold = { keyId: 'key_test', budgets: [] }
    expect('refused' in (await ledger.wallet.hold({ ...hold, accountId: holdingUser.accountId, amount: 6n * UNIT }))).toBe(false)
    const smallHold = await ledger.wallet.hold({ ...hold, accountId: leasedUser.accountId, amount: 6n * UNIT })
    if ('refused' in smallHold) throw new Error(smallHold.refused)
    smallHold.end(0n)
    expect((await balanceOf(world.pool, leasedUser.accountId)).leased).toBeGreaterThan(5n * UNIT)
    expect(await auto.run()).toBe(1)
    expect(auto.intents(holdingUser)).toHaveLength(1)
    expect(auto.intents(leasedUser)).toEqual([])
    listener.release(true)
    await ledger.close()
  })
})

describe('several processes', () => {
  it('make one payment of what they see at the same time', async () => {
    const { world } = auto.billing
    const user = await auto.createPayer(2)
    await auto.enable(user)
    const pools = Array.from({ length: 3 }, () => new pg.Pool({ connectionString: world.url }))
    const contexts = pools.map((pool) => ({ ...world.console.ports, autoTopUps: createAutoTopUps(pool) }))
    const counts = await Promise.all([...contexts, ...contexts].map((ctx) => runAutoTopUps({ ctx })))
    expect(counts.reduce((sum, count) => sum + count)).toBe(1)
    expect(await auto.deliverEvent(auto.onlyIntent(user))).toBe(200)
    expect(await auto.balance(user)).toBe(22n * UNIT)
    await Promise.all(pools.map((pool) => pool.end()))
  })

  it('cannot have two payments of an account under way, whatever they do', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
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
    const user = await auto.createPayer(2)
    await auto.enable(user, { threshold: 60, amount: 20, ceiling: 50 })
    auto.billing.world.clock.at = new Date('2026-11-30T23:59:59.999Z')
    for (let round = 0; round < 5; round++) {
      await auto.run()
      for (const intent of auto.intents(user)) await auto.deliverEvent(intent)
    }
    expect(auto.intents(user)).toHaveLength(2)
    expect(await auto.balance(user)).toBe(42n * UNIT)
    auto.advanceClock(1)
    await auto.run()
    expect(auto.intents(user)).toHaveLength(3)
  })

  it('counts what is under way, and not what failed', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user, { amount: 20, ceiling: 20 })
    auto.billing.stripe.cards.bank = 'declines'
    await auto.run()
    auto.billing.stripe.cards.bank = 'pays'
    auto.advanceClock(HOUR_MS)
    expect(await auto.run()).toBe(1)
    expect(await auto.states(user)).toEqual([
      ['failed', 'declined'],
      ['processing', null],
    ])
    expect(await auto.billing.world.console.ports.autoTopUps.paidSince(user.accountId, new Date('2026-11-01'))).toBe(20n * UNIT)
  })

  it('holds for processes that begin at once, one after the other', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user, { threshold: 500, amount: 20, ceiling: 100 })
    for (let round = 0; round < 8; round++) {
      await Promise.all([auto.run(), auto.run()])
      await Promise.all(auto.intents(user).map((intent) => auto.deliverEvent(intent)))
    }
    expect(auto.intents(user)).toHaveLength(5)
    expect(await auto.balance(user)).toBe(102n * UNIT)
  })
})
