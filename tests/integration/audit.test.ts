import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SignedIn } from '#lib/services/ports'
import { readAudit } from '#lib/store/ledger/audit-store'
import { refundObject } from '../fakes/stripe-objects.ts'
import { expectBooks } from '../support/ledger.ts'
import { type BillingWorld, openBilling, UNIT } from './billing-world.ts'

let billing: BillingWorld
let user: SignedIn
let requestId: string
beforeAll(async () => {
  billing = await openBilling()
})
afterAll(() => billing.close())
beforeEach(async () => {
  const { world } = billing
  user = (await billing.paid(10)).user
  requestId = await world.settle(user, { at: world.clock.at, total: UNIT })
})

const sql = (text: string, values: unknown[] = []) => billing.world.pool.query(text, values)
/** Books credit that nothing stands behind, the purse along with it: the sums are right. */
async function invent(id: string, kind: string, amountNano: bigint, paymentId: string | null = null): Promise<void> {
  await sql(
    `with put as (insert into entry (id, account_id, kind, amount_nano, reason, actor, payment_id) values ($1, $2, $3, $4, 'x', 'x', $5))
     update purse set credit = credit + $4 where id = $2`,
    [id, user.accountId, kind, amountNano, paymentId],
  )
}
interface Plan {
  'Relation Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Actual Loops': number
  Plans?: Plan[]
}
/** The checks that an id breaks. */
const broken = async (id: string) =>
  (await readAudit(billing.world.pool, null)).checks.filter(({ rows }) => rows.some((row) => row.id.includes(id)))
const names = async (id: string) => (await broken(id)).map(({ name }) => name)

it('is content with what is booked by the rules', async () => {
  const { session } = await billing.paid(10, user)
  const refund = refundObject(`re_${randomUUID()}`, String(session.payment_intent), 400)
  expect(await billing.send('refund.created', refund)).toBe(200)
  expect(await billing.send('refund.failed', { ...refund, status: 'failed' })).toBe(200)
  await expectBooks(billing.world.pool)
})

describe('credit that was invented is found', () => {
  it('as a reversal', async () => {
    await invent('rev_req_of_nobody', 'reversal', 5n)
    expect(await broken('rev_req_of_nobody')).toEqual([
      { name: 'reversal of a request = its charge', rows: [{ id: 'rev_req_of_nobody', expected: '0', found: '5' }] },
    ])
    await invent(`rev_${requestId}`, 'reversal', UNIT)
    expect(await names(requestId)).toEqual([])
    await invent(`twc_${requestId}`, 'reversal', UNIT)
    expect(await names(requestId)).toEqual(['reversal of a request = its charge'])
  })

  it('as a reversal of more than was charged, or of what another account was charged', async () => {
    await invent(`rev_${requestId}`, 'reversal', UNIT + 1n)
    expect(await names(requestId)).toEqual(['reversal of a request = its charge'])
    const theirs = await billing.world.settle((await billing.paid(10)).user, { at: billing.world.clock.at, total: UNIT })
    await invent(`rev_${theirs}`, 'reversal', UNIT)
    expect(await names(theirs)).toEqual(['reversal of a request = its charge'])
  })

  it('as a code', async () => {
    const of = 'credit of a code = what it is worth'
    await invent('ent_code_of_nobody', 'code', 5n)
    expect(await names('ent_code_of_nobody')).toEqual([of])
    await sql(
      `insert into redemption_code (id, code_hmac, hint, amount_nano, created_at, redeemed_at, redeemed_by)
       values ('code_spent', '\\x01', 'h', 5, now(), now(), $1)`,
      [user.accountId],
    )
    expect(await names('ent_code_spent')).toEqual([of])
    await invent('ent_code_spent', 'code', 5n)
    expect(await names('ent_code_spent')).toEqual([])
  })

  it('as what was given back and never taken, or given back more than it was', async () => {
    const of = 'given back of a refund or dispute = what it took'
    await invent('ent_re_none_back', 'refund', 5n, 'pay_x')
    expect(await names('ent_re_none_back')).toEqual([of])
    await invent('ent_dp_more', 'dispute', -5n, 'pay_x')
    await invent('ent_dp_more_back', 'dispute', 6n, 'pay_x')
    expect(await names('ent_dp_more')).toEqual([of])
  })
})

describe('what a limit of a key has spent', () => {
  const of = 'spent of a key limit = charges of the key'
  let keyIds: string[]
  beforeEach(async () => {
    keyIds = [randomUUID(), randomUUID()].map((id) => `key_${id}`)
    for (const keyId of keyIds) {
      for (const [month, total] of [
        ['2026-10', UNIT],
        ['2026-11', 2n * UNIT],
      ] as const) {
        const at = new Date(`${month}-20T12:00:00Z`)
        await billing.world.settle(user, { at, total, keyId })
      }
      for (const [purse, spent] of [
        ['total', 3n],
        ['2026-09', 0n],
        ['2026-10', 1n],
        ['2026-11', 2n],
      ] as const)
        await sql("insert into purse (id, kind, account_id, key_id, credit, spent) values ($1, 'key', $2, $3, 0, $4)", [
          `${keyId}:${purse}`,
          user.accountId,
          keyId,
          spent * UNIT,
        ])
    }
  })

  it.each(['total', '2026-09', '2026-10'])('is compared with its records: %s', async (purse) => {
    const id = `${keyIds[0]}:${purse}`
    const found = async () => {
      const rows = await Promise.all(
        keyIds.map(async (keyId) => (await broken(keyId)).find(({ name }) => name === of)?.rows ?? []),
      )
      return rows.flat().filter((row) => keyIds.some((keyId) => row.id.startsWith(keyId)))
    }
    expect(await found()).toEqual([])
    const { rows } = await sql('update purse set spent = spent + 1 where id = $1 returning spent', [id])
    const is = BigInt(rows[0].spent)
    expect(await found()).toEqual([{ id, expected: String(is - 1n), found: String(is) }])
    await sql('update purse set spent = spent - 1 where id = $1', [id])
  })

  it('is read out of its account once for all of them', async () => {
    const asked: string[] = []
    const client = await billing.world.pool.connect()
    const seen = { query: (text: string, values?: unknown[]) => (asked.push(text), client.query(text, values)), release() {} }
    try {
      await readAudit({ connect: async () => seen } as unknown as typeof billing.world.pool, null)
      const text = asked.find((one) => one.includes("p.kind = 'key' AND p.spent")) ?? ''
      // As where an account's records are found by its index, as in a database of many accounts.
      await client.query(
        'begin; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off',
      )
      const { rows } = await client.query(`explain (analyze, format json) ${text}`)
      await client.query('rollback')
      const scans = (node: Plan): number[] => [
        ...(node['Relation Name']?.startsWith('usage_record')
          ? [(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']]
          : []),
        ...(node.Plans ?? []).flatMap(scans),
      ]
      const read = scans(rows[0]['QUERY PLAN'][0].Plan).reduce((a, b) => a + b, 0)
      const { rows: there } = await sql('select count(*)::int as count from usage_record')
      expect(read).toBeGreaterThan(0)
      expect(read).toBeLessThanOrEqual(there[0].count)
    } finally {
      client.release()
    }
  })
})

describe('usage that was moved is found', () => {
  it.each(['key_id', 'model_id'])('to another %s, by the hour', async (column) => {
    expect(await names(user.accountId)).toEqual([])
    await sql(`update usage_hour set ${column} = 'other' where account_id = $1`, [user.accountId])
    expect(await names(user.accountId)).toContain('usage by the hour = records')
    const rows = (await broken(user.accountId)).flatMap((check) => check.rows)
    const charges = rows.filter(({ id }) => id.startsWith(user.accountId) && id.endsWith('charged_nano'))
    // What stands where it should not, and what is missing where it should stand.
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
