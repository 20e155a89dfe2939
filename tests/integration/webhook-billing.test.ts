import { describe, expect, it } from 'vitest'
import { PgTaskStore } from '#lib/store/task-store'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, openLedger } from '../support/ledger.ts'
import { COMPLETED_END, newVideoTask, settlementRowOfEnd } from '../support/task.ts'
import { UNIT } from './billing-world.ts'
import { addWebhook, openWebhookFixture, readDeliveryLog, sql } from './webhook-world.ts'

// Events are written together with what they report. Whatever becomes of them, the money is booked without waiting.
const fixture = openWebhookFixture()
const balance = async () => (await balanceOf(fixture.billing.world.pool, fixture.user.accountId)).balance

/** What can be wrong with the tables of webhooks, and how to repair it. */
const FAULTS = [
  [
    'its table refuses every row',
    'alter table webhook_event add constraint broken check (false) not valid',
    'alter table webhook_event drop constraint broken',
  ],
  [
    'deliveries cannot be written',
    'alter table webhook_delivery rename column created_at to made_at',
    'alter table webhook_delivery rename column made_at to created_at',
  ],
  [
    'its table is gone',
    'alter table webhook_endpoint rename to webhook_endpoint_gone',
    'alter table webhook_endpoint_gone rename to webhook_endpoint',
  ],
  [
    'amounts cannot be written as text',
    'alter function nano_text(bigint) rename to nano_text_gone',
    'alter function nano_text_gone(bigint) rename to nano_text',
  ],
] as const

async function bookVideo(): Promise<() => Promise<unknown>> {
  const { pool, url } = fixture.billing.world
  const ledger = await openLedger(pool, url)
  const hold = await ledger.wallet.hold({ accountId: fixture.user.accountId, keyId: 'key_test', budgets: [], amount: 100n })
  if ('refused' in hold) throw new Error(hold.refused)
  const store = new PgTaskStore(pool)
  const task = newVideoTask(fixture.user.accountId, hold)
  await store.book(task, { leaseId: hold.leaseId, budgets: [], budgetLeases: [] }, null)
  const found = await store.find(fixture.user.accountId, task.id)
  if (!found) throw new Error('no task')
  return async () => {
    const settled = await store.finish(found, null, COMPLETED_END, settlementRowOfEnd(found, COMPLETED_END))
    await ledger.close()
    return settled
  }
}

describe.each(FAULTS)('where %s', (_, breakIt, mendIt) => {
  it('a payment is credited, a video ends and is charged, a failed payment fails, and low balances are told of', async () => {
    await fixture.billing.completePayment(1, fixture.user)
    const end = await bookVideo()
    const failing = await fixture.billing.startPayment(3, fixture.user)
    await fixture.billing.world.console.ports.billingAccounts.setLowBalance(fixture.user.accountId, 500n * UNIT)
    const { session } = await fixture.billing.startPayment(12, fixture.user)
    await sql(fixture, breakIt)
    try {
      expect(await fixture.billing.send('checkout.session.completed', fixture.billing.stripe.pay(session.id))).toBe(200)
      expect(await end()).toMatchObject({ charged: 100n })
      const failed = { ...failing.session, payment_status: 'unpaid' }
      expect(await fixture.billing.send('checkout.session.async_payment_failed', failed)).toBe(200)
      expect(await fixture.billing.world.console.ports.billingAccounts.markLowBalances(new Date())).toBe(1)
    } finally {
      await sql(fixture, mendIt)
    }
    expect(await balance()).toBe(13n * UNIT - 100n)
    await expectBalancedBooks(fixture.billing.world.pool)
  })
})

describe('an endpoint that is being removed', () => {
  it('keeps no credit waiting, and does not undo it; the others are told', async () => {
    const other = await addWebhook(fixture)
    const { session } = await fixture.billing.startPayment(12, fixture.user)
    const remover = await fixture.billing.world.pool.connect()
    await remover.query('begin')
    await remover.query('delete from webhook_endpoint where id = $1', [fixture.hook.webhook.id])
    const credited = fixture.billing.send('checkout.session.completed', fixture.billing.stripe.pay(session.id))
    const first = await Promise.race([credited, new Promise((resolve) => setTimeout(resolve, 3000, 'waits'))])
    await remover.query('commit')
    remover.release()
    expect(await credited).toBe(200)
    expect(first).toBe(200)
    expect(await balance()).toBe(12n * UNIT)
    expect((await readDeliveryLog(fixture, other.webhook.id)).map(({ type }) => type)).toEqual(['top_up.succeeded'])
  })

  it('is nothing to credits that come at the same time, many times over', async () => {
    for (let round = 0; round < 15; round++) {
      const extra = await addWebhook(fixture)
      const { session } = await fixture.billing.startPayment(1, fixture.user)
      const paid = fixture.billing.stripe.pay(session.id)
      const [status] = await Promise.all([
        fixture.billing.send('checkout.session.completed', paid),
        fixture.billing.world.console.ports.webhooks.remove(fixture.user.accountId, extra.webhook.id),
      ])
      expect(status).toBe(200)
    }
    expect(await balance()).toBe(15n * UNIT)
    await expectBalancedBooks(fixture.billing.world.pool)
  })
})

describe('thousands of endpoints of other accounts', () => {
  it('cost a credit nothing, and none of them is told', async () => {
    await sql(
      fixture,
      `insert into webhook_endpoint (id, account_id, url, events, secret_sealed, created_at)
       select 'whe_many_' || n, 'acc_many_' || n % 500, 'https://x.example.com/', '{top_up.succeeded}', 'x', now() from generate_series(1, 5000) n`,
    )
    await sql(fixture, 'analyze webhook_endpoint')
    const { session } = await fixture.billing.startPayment(2, fixture.user)
    expect(await fixture.billing.send('checkout.session.completed', fixture.billing.stripe.pay(session.id))).toBe(200)
    const [deliveries] = await sql(fixture, "select count(*) as n from webhook_delivery where endpoint_id like 'whe_many_%'")
    expect(deliveries?.n).toBe('0')
    expect((await readDeliveryLog(fixture)).map(({ type }) => type)).toEqual(['top_up.succeeded'])
    const plan = await sql(fixture, "explain select e.id from webhook_endpoint e where e.account_id = 'acc_many_7' and e.enabled")
    expect(JSON.stringify(plan)).toContain('webhook_endpoint_account_id_created_at_idx')
  })
})
