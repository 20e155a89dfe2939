import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountRow, accountPage } from '#lib/contracts/operator-accounts'
import { newId } from '#lib/domain/ids'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleWorld, NOW, openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller } from './operator-world.ts'

const routes = { accounts: await import('#app/api/operator/accounts/route') }

let world: ConsoleWorld
let ada: SignedInUser
let call: ReturnType<typeof createCaller>

interface AccountSpec {
  name: string
  email?: string
  person?: string
  role?: string
  state?: 'suspended' | 'closed'
  hint?: string
}

let accountCount = 0
/** Makes an account with its first person. Each is newer than the one before. */
async function make({ name, email, person = name, role = 'holder', state, hint }: AccountSpec): Promise<string> {
  const at = NOW.getTime() - 1_000_000 + ++accountCount
  const [id, userId] = ['acc', 'usr'].map((prefix) => newId(prefix, at, Buffer.alloc(10, accountCount % 256)))
  await world.pool.query(`insert into account (id, name, created_at, suspended_at, closed_at) values ($1, $2, $3, $4, $5)`, [
    id,
    name,
    new Date(at),
    state ? NOW : null,
    state === 'closed' ? NOW : null,
  ])
  await world.pool.query(
    `insert into app_user (id, account_id, email, name, role, created_at, password_hash) values ($1, $2, $3, $4, $5, $6, '')`,
    [
      userId,
      id,
      email ?? `${name.toLowerCase().replaceAll(/\W/g, '.')}.${accountCount}@list.example`,
      person,
      role,
      new Date(at),
    ],
  )
  await world.pool.query(`insert into purse (id, kind, account_id, credit) values ($1, 'account', $1, $2)`, [id, accountCount])
  if (hint)
    await world.pool.query(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint) values ($1, $2, 'grp_main', 'k', $3, $4)`,
      [`key_of_${name}`, id, Buffer.from(`hmac ${accountCount}`), hint],
    )
  return id ?? ''
}

beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  ada = await world.newUser('operator')
  call = createCaller(world, routes)
})
afterAll(() => world.close())

const list = async (query: string) => {
  const answer = await call('GET', `accounts?${query}`, ada)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return accountPage.parse(answer.body)
}
/** All pages of a list, two rows at a time. */
async function all(query: string): Promise<AccountRow[]> {
  const rows: AccountRow[] = []
  let before: string | null = ''
  while (before !== null) {
    const page = await list(`limit=2&${query}${before === '' ? '' : `&before=${encodeURIComponent(before)}`}`)
    expect(page.rows.length).toBeLessThanOrEqual(2)
    rows.push(...page.rows)
    before = page.next
  }
  return rows
}
const names = async (query: string) => (await all(query)).map(({ name }) => name)

describe('the list of accounts', () => {
  beforeAll(async () => {
    await make({ name: 'Willow', hint: 'sk-tg-…Ab12' })
    await make({ name: 'wilma', email: 'zed@list.example', hint: 'sk-tg-…will' })
    await make({ name: 'Will & 100%', state: 'suspended' })
    await make({ name: 'Other', email: 'will.o@list.example', state: 'closed' })
    await make({ name: 'Old name', person: 'William', role: 'support' })
    await make({ name: 'Zebra', role: 'owner' })
  })

  it('is newest first, page by page, each account once', async () => {
    const rows = await all('')
    const mine = rows.filter(({ email }) => email.endsWith('@list.example'))
    expect(mine.map(({ name }) => name)).toEqual(['Zebra', 'Old name', 'Other', 'Will & 100%', 'wilma', 'Willow'])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    expect(mine[0]).toMatchObject({ role: 'owner', state: 'active', balanceNano: '6', spentMonthNano: '0' })
  })

  it.each([
    ['state=suspended', ['Will & 100%']],
    ['state=closed', ['Other']],
    ['role=support', ['Old name']],
    ['role=owner', ['Zebra']],
    ['role=owner&state=closed', []],
    ['search=will&state=active', ['wilma', 'Willow', 'Old name']],
    ['search=will&role=support', ['Old name']],
    // Matches by the end of a key, an address, an account's name and a person's name.
    ['search=will', ['wilma', 'Will & 100%', 'Other', 'Willow', 'Old name']],
    ['search=WILLI', ['Old name']],
    ['search=zed@', ['wilma']],
    ['search=will%26', []],
    ['search=will+%26+100%25', ['Will & 100%']],
    ['search=%25', []],
    ['search=_', []],
    ['search=Ab12', ['Willow']],
    ['search=ab12', []],
    ['search=sk-tg-%E2%80%A6Ab12', ['Willow']],
    ['search=key_of_wilma', ['wilma']],
    ['search=nobody', []],
  ])('%s finds %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  it('finds by the id of an account and of a person', async () => {
    const { rows } = await world.pool.query(`select id, account_id from app_user where email = 'zed@list.example'`)
    expect(await names(`search=${rows[0].id}`)).toEqual(['wilma'])
    expect(await names(`search=${rows[0].account_id}`)).toEqual(['wilma'])
  })

  it('finds by the id of a payment, ours and those of Stripe', async () => {
    await world.pool.query(
      `insert into payment (id, account_id, request_id, amount_nano, amount_minor, currency, session_id, intent_id, created_at)
       select 'pay_wilma', account_id, 'r', 1000000000, 100, 'usd', 'cs_wilma', 'pi_wilma', now()
         from app_user where email = 'zed@list.example'`,
    )
    for (const id of ['pay_wilma', 'cs_wilma', 'pi_wilma']) expect(await names(`search=${id}`)).toEqual(['wilma'])
    expect(await names('search=pay_wil')).toEqual([])
  })

  it('counts what was charged this month, out of hours, days and months that are added up', async () => {
    const user = await world.newUser()
    await world.pool.query('update purse set credit = 1000 where id = $1', [user.accountId])
    const monthStart = new Date('2026-11-01T00:00:00Z')
    await world.settle(user, { at: new Date(monthStart.getTime() - 1), total: 1n })
    // One day that is old enough to be rolled up, and one that is not.
    await world.settle(user, { at: monthStart, total: 20n })
    await world.settle(user, { at: NOW, total: 300n })
    const spent = async () => (await list(`search=${user.accountId}`)).rows[0]?.spentMonthNano
    const before = await spent()
    await world.pool.query(`select roll_usage('2026-11-18T00:00:00Z')`)
    expect([before, await spent()]).toEqual(['320', '320'])
  })

  it.each(['state=none', 'role=root', 'limit=0', 'archived=yes'])('refuses %s, and names the field', async (query) => {
    const answer = await call('GET', `accounts?${query}`, ada)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    expect(query).toContain(answer.body.error?.field)
  })
})
