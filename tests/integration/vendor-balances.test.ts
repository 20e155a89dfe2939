/** What is left of the money at vendors: queried from those that report it, computed for those that do not. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { balanceList, type ConnectionBalance } from '#lib/contracts/operator-alerts'
import { fetchVendorBalances } from '#lib/services/operator/ask-balances'
import type { SignedInUser } from '#lib/services/ports'
import { type Call, type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { type ConsoleWorld, KEYRING, openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller, type Routes } from './operator-world.ts'

const routes: Routes = {
  balances: (await import('#app/api/operator/balances/route')) as never,
  'balances/[id]': (await import('../../app/api/operator/balances/[id]/route.ts')) as never,
}

let world: ConsoleWorld
let operator: SignedInUser
let vendor: FakeVendor
let call: ReturnType<typeof createCaller>
const NOW = new Date()

beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  operator = await world.newUser('operator')
  vendor = await startFakeVendor()
  call = createCaller(world, routes)
})
afterAll(async () => {
  await vendor?.[Symbol.asyncDispose]()
  await world?.close()
})
beforeEach(async () => {
  world.clock.at = NOW
  vendor.calls.length = 0
  await world.pool.query('delete from connection_balance')
  await world.pool.query('delete from traffic')
  await world.pool.query(`delete from connection where id like 'con_ask%'`)
})

async function connect(kind: string, path: string, id = `con_ask_${kind}`): Promise<void> {
  const base = new URL(path, vendor.url).href
  await world.pool.query('insert into connection (id, name, kind, base_url, secret_sealed) values ($1, $1, $2, $3, $4)', [
    id,
    kind,
    base,
    KEYRING.seal('sk-secret-of-vendor'),
  ])
}
const rows = async (): Promise<ConnectionBalance[]> =>
  balanceList.parse((await call('GET', 'balances?limit=50', operator)).body).rows
const row = async (id: string) => (await rows()).find(({ connectionId }) => connectionId === id)
const ask = () => fetchVendorBalances({ ctx: world.console.ports })
const later = (minutes: number) => {
  world.clock.at = new Date(world.clock.at.getTime() + minutes * 60_000)
}

// The shapes in their documentation.
const DEEPSEEK = {
  is_available: true,
  balance_infos: [
    { currency: 'CNY', total_balance: '110.00', granted_balance: '10.00', topped_up_balance: '100.00' },
    { currency: 'USD', total_balance: '12.34', granted_balance: '0.00', topped_up_balance: '12.34' },
  ],
}
const OPENROUTER = { data: { total_credits: 100.5, total_usage: 25.75 } }
const MOONSHOT = {
  code: 0,
  data: { available_balance: 49.58894, voucher_balance: 46.58893, cash_balance: 3.00001 },
  scode: '0x0',
  status: true,
}

describe('asks', () => {
  it.each([
    ['deepseek', '/v1', '/user/balance', DEEPSEEK, '12340000000'],
    ['openrouter', '/api/v1', '/api/v1/credits', OPENROUTER, '74750000000'],
    ['moonshot', '/v1/', '/v1/users/me/balance', MOONSHOT, '49588940000'],
  ])('%s at its address, with its key, and reads what it says', async (kind, base, path, answer, nano) => {
    await connect(kind, base)
    vendor.answer((vendorCall: Call) => sendJson(vendorCall, answer))
    expect(await ask()).toBe(1)
    expect(vendor.calls).toMatchObject([{ path, headers: { authorization: 'Bearer sk-secret-of-vendor' } }])
    expect(await row(`con_ask_${kind}`)).toMatchObject({
      leftNano: nano,
      from: 'vendor',
      currency: 'usd',
      asks: true,
      askError: null,
    })
  })

  it('every ten minutes, and once however many processes come', async () => {
    await connect('deepseek', '/v1')
    vendor.answer((vendorCall: Call) => sendJson(vendorCall, DEEPSEEK))
    await Promise.all([ask(), ask(), ask()])
    expect(vendor.calls.length).toBe(1)
    later(9)
    expect(await ask()).toBe(0)
    later(2)
    await Promise.all([ask(), ask(), ask()])
    expect(vendor.calls.length).toBe(2)
  })

  it.each<[string, (vendorCall: Call) => void, RegExp]>([
    ['a refusal', (vendorCall) => sendJson(vendorCall, { error: { message: 'Management key required' } }, 403), /API key/],
    ['an error', (vendorCall) => sendJson(vendorCall, {}, 500), /answered 500 when asked for its balance/],
    ['another form', (vendorCall) => sendJson(vendorCall, { balance: 5 }), /in an unknown format/],
    [
      'no number',
      (vendorCall) => sendJson(vendorCall, { balance_infos: [{ currency: 'USD', total_balance: 'lots' }] }),
      /in an unknown format/,
    ],
    ['no JSON', (vendorCall) => void vendorCall.response.writeHead(200).end('<html>'), /not JSON/],
    [
      'somewhere else to go',
      (vendorCall) => void vendorCall.response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      /answered 302/,
    ],
  ])('and says so where it gets %s, in words without the key', async (_what, answer, errorPattern) => {
    await connect('deepseek', '/v1')
    vendor.answer(answer)
    await ask()
    const found = await row('con_ask_deepseek')
    expect(found).toMatchObject({ leftNano: null, from: null })
    expect(found?.askError).toMatch(errorPattern)
    expect(found?.askError).not.toContain('sk-secret')
    expect(vendor.calls.length).toBe(1)
  })

  it('no kind that does not say, and none that is archived', async () => {
    await connect('openai', '/v1')
    await connect('deepseek', '/v1')
    await world.pool.query(`update connection set archived_at = now() where id = 'con_ask_deepseek'`)
    expect(await ask()).toBe(0)
    expect(vendor.calls.length).toBe(0)
  })
})

const cost = (span: string, at: Date, nano: number, id = 'con_real') =>
  world.pool.query(`insert into traffic (span, grain, at, id, vendor_cost_nano) values ($1, 'connection', $2, $3, $4)`, [
    span,
    at,
    id,
    nano,
  ])
const state = (body: object) => call('PATCH', 'balances/con_real', operator, body)
const HOUR = 3_600_000
const hourOf = (at: Date) => new Date(Math.floor(at.getTime() / HOUR) * HOUR)
const dayOf = (at: Date) => new Date(Math.floor(at.getTime() / (24 * HOUR)) * 24 * HOUR)

describe('reckons', () => {
  it('what was stated, less what our calls cost since, each once', async () => {
    const since = new Date(hourOf(NOW).getTime() - 2 * HOUR + 30 * 60_000)
    expect((await state({ version: 0, amountNano: '1000', at: since.toISOString() })).status).toBe(200)
    expect(await row('con_real')).toMatchObject({ leftNano: '1000', from: 'stated', statedAt: since.toISOString(), version: 1 })
    // Of the hour in which the balance was stated the later minutes count, and after that whole hours.
    await cost('minute', new Date(since.getTime() - 60_000), 500)
    await cost('minute', since, 1)
    await cost('hour', hourOf(since), 501)
    await cost('hour', new Date(hourOf(since).getTime() + HOUR), 20)
    await cost('minute', new Date(hourOf(since).getTime() + HOUR), 20)
    await cost('hour', hourOf(NOW), 300)
    await cost('hour', hourOf(NOW), 7, 'con_box')
    expect((await row('con_real'))?.leftNano).toBe(String(1000 - 1 - 20 - 300))
  })

  it('days by the day, and goes on when hours are gone', async () => {
    const since = new Date(dayOf(NOW).getTime() - 5 * 24 * HOUR + 22 * HOUR + 60_000)
    await state({ version: 0, amountNano: '100000', at: since.toISOString() })
    await cost('minute', since, 1)
    await cost('hour', new Date(hourOf(since).getTime() + HOUR), 20)
    for (const [days, nano] of [
      [4, 300],
      [3, 4000],
    ] as const) {
      await cost('hour', new Date(dayOf(NOW).getTime() - days * 24 * HOUR), nano)
      await cost('day', new Date(dayOf(NOW).getTime() - days * 24 * HOUR), nano)
      await world.pool.query(`insert into traffic (span, grain, at, id) values ('day', 'all', $1, '')`, [
        new Date(dayOf(NOW).getTime() - days * 24 * HOUR),
      ])
    }
    await cost('hour', new Date(dayOf(NOW).getTime() - 2 * 24 * HOUR), 50000)
    const left = String(100_000 - 54_321)
    expect((await row('con_real'))?.leftNano).toBe(left)
    await ask()
    expect((await row('con_real'))?.leftNano).toBe(left)
    await world.pool.query(`delete from traffic where span = 'minute' or (span = 'hour' and at < $1)`, [
      new Date(dayOf(NOW).getTime() - 2 * 24 * HOUR),
    ])
    expect(await row('con_real')).toMatchObject({ leftNano: left, statedNano: '100000', statedAt: since.toISOString() })
  })

  it('what a vendor says goes before it, while that is fresh', async () => {
    await connect('deepseek', '/v1', 'con_ask_1')
    await call('PATCH', 'balances/con_ask_1', operator, { version: 0, amountNano: '77' })
    vendor.answer((vendorCall: Call) => sendJson(vendorCall, DEEPSEEK))
    await ask()
    expect(await row('con_ask_1')).toMatchObject({ leftNano: '12340000000', from: 'vendor', statedNano: '77' })
    await world.pool.query(`update connection_balance set asked_at = now() - interval '61 minutes'`)
    expect(await row('con_ask_1')).toMatchObject({ leftNano: '77', from: 'stated', currency: 'usd' })
  })

  it('nothing where a statement is taken back; each is in the log', async () => {
    await state({ version: 0, amountNano: '5' })
    await state({ version: 1, amountNano: null })
    expect(await row('con_real')).toMatchObject({ leftNano: null, from: null, version: 2 })
    const { rows: log } = await world.pool.query(
      `select before, after from audit_log where verb = 'balance.state' and target_id = 'con_real' order by id desc limit 2`,
    )
    expect(log[1].after).toMatchObject({ stated_nano: '5' })
    expect(log[0]).toMatchObject({ before: { stated_nano: '5' }, after: { stated_nano: null } })
  })

  it.each<[string, object, number, string | undefined]>([
    ['a time to come', { version: 0, amountNano: '5', at: new Date(NOW.getTime() + HOUR).toISOString() }, 400, 'at'],
    ['a time long ago', { version: 0, amountNano: '5', at: '2020-01-01T00:00:00.000Z' }, 400, 'at'],
    ['less than nothing', { version: 0, amountNano: '-5' }, 400, 'amountNano'],
    ['more than a column holds', { version: 0, amountNano: '9'.repeat(19) }, 400, 'amountNano'],
    ['no amount', { version: 0 }, 400, 'amountNano'],
    ['what somebody else has stated meanwhile', { version: 3, amountNano: '5' }, 409, undefined],
  ])('and refuses %s', async (_what, body, status, field) => {
    expect(await state(body)).toMatchObject({ status, body: { error: field === undefined ? {} : { field } } })
    expect((await row('con_real'))?.version).toBe(0)
  })

  it('nothing of a connection that is not there', async () => {
    expect((await call('PATCH', 'balances/none', operator, { version: 0, amountNano: '5' })).status).toBe(404)
  })
})
