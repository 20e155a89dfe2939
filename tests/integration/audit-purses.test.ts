import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createKeyInput } from '#lib/contracts/keys'
import { createKey } from '#lib/services/keys/create-key'
import type { SignedInUser } from '#lib/services/ports'
import { readAudit } from '#lib/store/ledger/audit-store'
import { type BillingWorld, openBillingWorld, UNIT } from './billing-world.ts'

let billing: BillingWorld
let user: SignedInUser
beforeAll(async () => {
  billing = await openBillingWorld()
})
afterAll(() => billing.close())
beforeEach(async () => {
  const { world } = billing
  user = (await billing.completePayment(10)).user
  await world.settle(user, { at: world.clock.at, total: UNIT })
})

const sql = (text: string, values: unknown[] = []) => billing.world.pool.query(text, values)
/** Makes a key with limits. */
const createLimitedKey = async (limits: { limitTotalNano?: string; limitMonthNano?: string }) => {
  const input = createKeyInput.parse({ name: 'Mine', groupId: 'grp_main', ...limits })
  return (await createKey({ ctx: billing.world.as(user), input })).key
}
interface Plan {
  'Relation Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Actual Loops': number
  Plans?: Plan[]
}
/** The checks that report an id. */
const findFailingChecks = async (id: string) =>
  (await readAudit(billing.world.pool, null)).checks.filter(({ rows }) => rows.some((row) => row.id.includes(id)))
const names = async (id: string) => (await findFailingChecks(id)).map(({ name }) => name)

describe('what belongs to nobody is found', () => {
  it('as a wallet without an account, an account without a wallet, and a wallet of another account', async () => {
    await sql("insert into purse (id, kind, account_id) values ('acc_gone', 'account', 'acc_gone')")
    await sql("insert into account (id, name) values ('acc_poor', 'x')")
    await sql("insert into account (id, name) values ('acc_lent', 'x')")
    await sql("insert into purse (id, kind, account_id) values ('acc_lent', 'account', 'acc_poor')")
    for (const id of ['acc_gone', 'acc_poor', 'acc_lent']) expect(await names(id)).toContain('wallets of an account = one')
    await sql("delete from purse where id in ('acc_gone', 'acc_lent')")
    await sql("delete from account where id in ('acc_poor', 'acc_lent')")
  })

  it('as entries, charges and leases without a purse', async () => {
    const entry =
      "insert into entry (id, account_id, kind, amount_nano, owed_nano, reason, actor) values ($1, $1, 'grant', 5, 2, 'x', 'x')"
    await sql(entry, ['acc_entry'])
    expect(await names('acc_entry')).toEqual(['credit of an account = its entries', 'debt of an account = its entries'])
    await sql("insert into process (id, beat_at, started_at, pid, host) values ('prc_1', now(), now(), 1, 'x')")
    await sql("insert into lease (id, owner, purse_id, amount, seq, granted) values ('l_1', 'prc_1', 'acc_lease', 5, 1, 5)")
    expect(await names('acc_lease')).toEqual(['leased out of a purse = its leases'])
    await sql('delete from purse where id = $1', [user.accountId])
    expect(await names(user.accountId)).toEqual([
      'credit of an account = its entries',
      'spent by an account = its charges',
      'wallets of an account = one',
    ])
  })

  it.each([
    ['a key that is not there', 'key_gone:total', 'key_gone'],
    ['another key', 'key_other:total', null],
    ['no month', 'KEY:2026-9', null],
  ])('as the limit of %s', async (_, purse, key) => {
    const { id: keyId } = await createLimitedKey({})
    const id = purse.replace('KEY', keyId)
    await sql("insert into purse (id, kind, account_id, key_id) values ($1, 'key', $2, $3)", [id, user.accountId, key ?? keyId])
    expect(await names(id)).toEqual(['payer of a key limit = account of its key'])
    await sql('delete from purse where id = $1', [id])
  })
})

it('a purse that holds something else than the limit of its key is found, in every month', async () => {
  const of = 'credit of a key limit = the limit'
  const { id: keyId } = await createLimitedKey({ limitMonthNano: String(UNIT), limitTotalNano: String(2n * UNIT) })
  const purses = [`${keyId}:total`, `${keyId}:2026-09`, `${keyId}:2026-10`]
  for (const id of purses)
    await sql("insert into purse (id, kind, account_id, key_id, credit) values ($1, 'key', $2, $3, $4)", [
      id,
      user.accountId,
      keyId,
      id.endsWith('total') ? 2n * UNIT : UNIT,
    ])
  expect(await names(keyId)).toEqual([])
  await sql('update purse set credit = credit + 1 where key_id = $1', [keyId])
  const rows = (await findFailingChecks(keyId)).flatMap(({ name, rows: all }) => all.map((row) => [name, row.id]))
  expect(rows.sort()).toEqual(purses.map((id) => [of, id]).sort())
  await sql('update api_key set limit_month_nano = null where id = $1', [keyId])
  expect(await names(`${keyId}:2026`)).toEqual([])
  expect(await names(`${keyId}:total`)).toEqual([of])
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
    const findRows = async () => {
      const rows = await Promise.all(
        keyIds.map(async (keyId) => (await findFailingChecks(keyId)).find(({ name }) => name === of)?.rows ?? []),
      )
      return rows.flat().filter((row) => keyIds.some((keyId) => row.id.startsWith(keyId)))
    }
    expect(await findRows()).toEqual([])
    const { rows } = await sql('update purse set spent = spent + 1 where id = $1 returning spent', [id])
    const is = BigInt(rows[0].spent)
    expect(await findRows()).toEqual([{ id, expected: String(is - 1n), found: String(is) }])
    await sql('update purse set spent = spent - 1 where id = $1', [id])
  })

  it('is read out of its account once for all of them', async () => {
    const queries: string[] = []
    const client = await billing.world.pool.connect()
    const query = (text: string, values?: unknown[]) => {
      queries.push(text)
      return client.query(text, values)
    }
    try {
      const connection = { query, on() {}, off() {}, release() {} }
      await readAudit({ connect: async () => connection } as unknown as typeof billing.world.pool, null)
      const text = queries.find((one) => one.includes("p.kind = 'key' AND p.spent")) ?? ''
      // Uses the index to find an account's records, as the planner does in a database of many accounts.
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
      const rowsRead = scans(rows[0]['QUERY PLAN'][0].Plan).reduce((a, b) => a + b, 0)
      const { rows: usageRows } = await sql('select count(*)::int as count from usage_record')
      expect(rowsRead).toBeGreaterThan(0)
      expect(rowsRead).toBeLessThanOrEqual(usageRows[0].count)
    } finally {
      client.release()
    }
  })
})
