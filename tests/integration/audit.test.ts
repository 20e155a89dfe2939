import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SignedInUser } from '#lib/services/ports'
import { readAudit } from '#lib/store/ledger/audit-store'
import { refundObject } from '../fakes/stripe-objects.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type BillingWorld, openBillingWorld, UNIT } from './billing-world.ts'
import { receiptOf } from './console-world.ts'

let billing: BillingWorld
let user: SignedInUser
let paymentId: string
let requestId: string
beforeAll(async () => {
  billing = await openBillingWorld()
})
afterAll(() => billing.close())
beforeEach(async () => {
  const { world } = billing
  const paidTopUp = await billing.completePayment(10)
  user = paidTopUp.user
  paymentId = paidTopUp.paymentId
  requestId = await world.settle(user, { at: world.clock.at, total: UNIT })
})

const sql = (text: string, values: unknown[] = []) => billing.world.pool.query(text, values)
/** Writes that Stripe sent this type of event for the payment. */
const insertStripeEvent = (type: string) =>
  sql('insert into stripe_event (id, type, payment_id, created_at) values ($1, $2, $3, now())', [randomUUID(), type, paymentId])
/** Books credit that nothing backs, in the entries and in the purse: the sums still match. */
async function insertUnbackedEntry(id: string, kind: string, amountNano: bigint, paymentId: string | null = null): Promise<void> {
  await sql(
    `with put as (insert into entry (id, account_id, kind, amount_nano, reason, actor, payment_id) values ($1, $2, $3, $4, 'x', 'x', $5))
     update purse set credit = credit + $4 where id = $2`,
    [id, user.accountId, kind, amountNano, paymentId],
  )
}
/** The checks that report an id. */
const findFailingChecks = async (id: string) =>
  (await readAudit(billing.world.pool, null)).checks.filter(({ rows }) => rows.some((row) => row.id.includes(id)))
const names = async (id: string) => (await findFailingChecks(id)).map(({ name }) => name)

it('is content with what is booked by the rules', async () => {
  const { session } = await billing.completePayment(10, user)
  const refund = refundObject(`re_${randomUUID()}`, String(session.payment_intent), 400)
  expect(await billing.send('refund.created', refund)).toBe(200)
  expect(await billing.send('refund.failed', { ...refund, status: 'failed' })).toBe(200)
  await expectBalancedBooks(billing.world.pool)
})

describe('credit that was invented is found', () => {
  it('as a reversal', async () => {
    await insertUnbackedEntry('rev_req_of_nobody', 'reversal', 5n)
    expect(await findFailingChecks('rev_req_of_nobody')).toEqual([
      { name: 'reversal of a request = its charge', rows: [{ id: 'rev_req_of_nobody', expected: '0', found: '5' }] },
    ])
    await insertUnbackedEntry(`rev_${requestId}`, 'reversal', UNIT)
    expect(await names(requestId)).toEqual([])
    await insertUnbackedEntry(`twc_${requestId}`, 'reversal', UNIT)
    expect(await names(requestId)).toEqual(['reversal of a request = its charge'])
  })

  it('as a reversal of more than was charged, or of what another account was charged', async () => {
    await insertUnbackedEntry(`rev_${requestId}`, 'reversal', UNIT + 1n)
    expect(await names(requestId)).toEqual(['reversal of a request = its charge'])
    const otherRequestId = await billing.world.settle((await billing.completePayment(10)).user, {
      at: billing.world.clock.at,
      total: UNIT,
    })
    await insertUnbackedEntry(`rev_${otherRequestId}`, 'reversal', UNIT)
    expect(await names(otherRequestId)).toEqual(['reversal of a request = its charge'])
  })

  it('as a code', async () => {
    const of = 'credit of a code = what it is worth'
    await insertUnbackedEntry('ent_code_of_nobody', 'code', 5n)
    expect(await names('ent_code_of_nobody')).toEqual([of])
    await sql(
      `insert into redemption_code (id, code_hmac, hint, amount_nano, created_at, redeemed_at, redeemed_by)
       values ('code_spent', '\\x01', 'h', 5, now(), now(), $1)`,
      [user.accountId],
    )
    expect(await names('ent_code_spent')).toEqual([of])
    await insertUnbackedEntry('ent_code_spent', 'code', 5n)
    expect(await names('ent_code_spent')).toEqual([])
  })

  it('as what was given back and never taken, or given back more than it was', async () => {
    const of = 'given back for a refund or dispute = what it took'
    await insertUnbackedEntry('ent_re_none_back', 'refund', 5n, paymentId)
    expect(await names('ent_re_none_back')).toEqual([of])
    await insertStripeEvent('charge.dispute.created')
    await insertUnbackedEntry('ent_dp_more', 'dispute', -5n, paymentId)
    await insertUnbackedEntry('ent_dp_more_back', 'dispute', 6n, paymentId)
    expect(await names('ent_dp_more')).toEqual([of])
  })
})

describe('money that Stripe said nothing of is found', () => {
  const creditCheck = 'credit of a payment = what was paid'
  const reversalCheck = 'taken for a refund or dispute <= what its payment paid'

  it('as a top-up without a payment, or of a payment of somebody else', async () => {
    await insertUnbackedEntry('top_of_nothing', 'top_up', 5n)
    expect(await findFailingChecks('top_of_nothing')).toEqual([
      { name: creditCheck, rows: expect.arrayContaining([{ id: 'top_of_nothing', expected: '0', found: '5' }]) },
    ])
    const otherPayment = await billing.completePayment(10)
    expect(await names(otherPayment.paymentId)).toEqual([])
    await insertUnbackedEntry('top_of_theirs', 'top_up', 10n * UNIT, otherPayment.paymentId)
    expect(await names(otherPayment.paymentId)).toEqual([creditCheck])
  })

  it('as a payment that is called paid', async () => {
    const { paymentId: openPaymentId } = await billing.startPayment(10, user)
    await sql("update payment set state = 'paid', paid_at = now() where id = $1", [openPaymentId])
    await insertUnbackedEntry(`top_${openPaymentId}`, 'top_up', 10n * UNIT, openPaymentId)
    expect(await names(openPaymentId)).toEqual(['state of a payment = what Stripe said'])
  })

  it.each(['refund', 'dispute'])('as a %s of no payment, of a payment of somebody else, or of more than it was', async (kind) => {
    const id = `ent_${randomUUID()}`
    await insertUnbackedEntry(id, kind, -5n)
    expect((await findFailingChecks(id)).map(({ name, rows }) => [name, rows.find((row) => row.id === id)])).toEqual([
      [reversalCheck, { id, expected: '0', found: '5' }],
    ])
    await insertUnbackedEntry(`${id}_theirs`, kind, -5n, (await billing.completePayment(10)).paymentId)
    expect(await names(`${id}_theirs`)).toEqual([reversalCheck])
    await insertUnbackedEntry(`${id}_untold`, kind, -5n, paymentId)
    expect(await names(`${id}_untold`)).toEqual([reversalCheck])
    await insertStripeEvent(kind === 'refund' ? 'refund.created' : 'charge.dispute.created')
    expect(await names(`${id}_untold`)).toEqual([])
    await billing.completePayment(10, user)
    await insertUnbackedEntry(`${id}_more`, kind, -10n * UNIT - 1n, paymentId)
    expect(await names(`${id}_more`)).toEqual([reversalCheck])
  })
})

describe('a receipt is found', () => {
  const of = 'lines of a receipt = its total'
  const settle = (count: bigint, amount: bigint) => {
    const receipt = receiptOf(UNIT)
    const lines = receipt.lines.map((line) => ({ ...line, count, amount: amount as typeof receipt.total }))
    return billing.world.settle(user, { at: billing.world.clock.at, total: UNIT, receipt: { ...receipt, lines } })
  }

  it('whose lines come to something else than was charged', async () => {
    expect(await names(await settle(3n, UNIT))).toEqual([])
    expect(await names(await settle(3n, UNIT - 1n))).toEqual([of])
  })

  it('whose lines are of other units than they cost', async () => {
    expect(await names(await settle(4n, UNIT))).toEqual([of])
  })
})

describe('usage that was moved is found', () => {
  it.each(['key_id', 'model_id'])('to another %s, by the hour', async (column) => {
    expect(await names(user.accountId)).toEqual([])
    await sql(`update usage_hour set ${column} = 'other' where account_id = $1`, [user.accountId])
    expect(await names(user.accountId)).toContain('usage by the hour = records')
    const rows = (await findFailingChecks(user.accountId)).flatMap((check) => check.rows)
    const charges = rows.filter(({ id }) => id.startsWith(user.accountId) && id.endsWith('charged_nano'))
    // Charges where none belong, and missing charges where one belongs.
    expect(charges.map(({ expected, found }) => [expected, found])).toEqual(
      expect.arrayContaining([
        ['0', String(UNIT)],
        [String(UNIT), '0'],
      ]),
    )
  })

  it('to another hour', async () => {
    await sql("update usage_hour set hour = hour + interval '1 hour' where account_id = $1", [user.accountId])
    expect(await names(user.accountId)).toContain('usage by the hour = records')
  })

  it.each(['day', 'month'])('to another key, by the %s', async (unit) => {
    const { world } = billing
    await world.settle(user, { at: new Date(Date.now() - 70 * 86_400_000), total: UNIT })
    await sql("select roll_usage(now() - interval '2 days')")
    expect(await names(user.accountId)).toEqual([])
    await sql(`update usage_${unit} set key_id = 'other' where grain = 'both' and account_id = $1`, [user.accountId])
    expect(await names(user.accountId)).toEqual([`usage by the ${unit} = by the hour`])
  })
})

describe('what a dead process holds', () => {
  const findHeld = async () =>
    (await readAudit(billing.world.pool, 60_000)).checks.find(({ name }) => name === 'nothing held by a dead process')?.rows
  const insertProcess = (id: string, startedSecondsAgo: number, beatSecondsAgo: number) =>
    sql(
      `insert into process (id, pid, host, started_at, beat_at)
       values ($1, 1, 'test', now() - make_interval(secs => $2), now() - make_interval(secs => $3))`,
      [id, startedSecondsAgo, beatSecondsAgo],
    )

  it('is an error once another has had the time to take it back, and not while none runs, as after a restore', async () => {
    const [dead, other] = [randomUUID(), randomUUID()]
    await insertProcess(dead, 900, 600)
    await sql('insert into lease (id, owner, purse_id, amount, seq, granted) values ($1, $1, $2, 5, 1, 5)', [
      dead,
      user.accountId,
    ])
    expect(await findHeld()).toEqual([])
    await insertProcess(other, 30, 1)
    expect(await findHeld()).toEqual([])
    await sql(`update process set started_at = now() - interval '90 seconds' where id = $1`, [other])
    expect(await findHeld()).toEqual([{ id: dead, expected: 0, found: '5' }])
    await sql('delete from lease where id = $1', [dead])
    await sql('delete from process where id = any($1)', [[dead, other]])
  })
})
