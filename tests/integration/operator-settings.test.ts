/** The operator's settings through their route: what it accepts, what it refuses, and what the audit log records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as meRoute from '#app/api/me/route'
import * as settingsRoute from '#app/api/operator/settings/route'
import * as profileRoute from '#app/api/settings/profile/route'
import { POST as signUpRoute } from '#app/api/sign-up/route'
import { type SettingList, type SettingName, settingList } from '#lib/contracts/settings'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleWorld, NOW, openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller } from './operator-world.ts'

let world: ConsoleWorld
let operator: SignedInUser
let holder: SignedInUser
let call: ReturnType<typeof createCaller>
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  operator = await world.newUser('operator')
  holder = await world.newUser()
  call = createCaller(world, { settings: settingsRoute as never })
})
afterAll(() => world.close())

const list = async (): Promise<SettingList> => settingList.parse((await call('GET', 'settings', operator)).body)
const row = async (name: SettingName) => (await list()).rows.find((item) => item.name === name)
const version = async (name: SettingName) => (await row(name))?.version ?? 0
const change = (changes: unknown[]) => call('PATCH', 'settings', operator, { changes })
const set = async (name: SettingName, value: unknown) => change([{ name, version: await version(name), value }])
const reset = async (name: SettingName) => change([{ name, version: await version(name), usual: true }])

it('a setting wins over the environment, and goes back to it; both are in the log', async () => {
  expect(await row('keyRpm')).toMatchObject({ value: 1_000_000, usual: 1_000_000, set: false, version: 0, changedBy: null })
  expect((await set('keyRpm', 50)).status).toBe(200)
  expect(await row('keyRpm')).toMatchObject({ value: 50, usual: 1_000_000, set: true, version: 1, changedBy: operator.email })
  expect((await reset('keyRpm')).status).toBe(200)
  expect(await row('keyRpm')).toMatchObject({ value: 1_000_000, set: false, version: 2 })
  const { rows } = await world.pool.query(`select verb, before, after from audit_log where target_id = 'keyRpm' order by id`)
  expect(rows).toEqual([
    { verb: 'setting.change', before: { value: 1_000_000 }, after: { value: 50 } },
    { verb: 'setting.reset', before: { value: 50 }, after: { value: 1_000_000 } },
  ])
})

it('of two who change it at once one is told, and nothing of theirs is kept', async () => {
  const at = await version('keyTpm')
  const both = await Promise.all([7, 8].map((value) => change([{ name: 'keyTpm', version: at, value }])))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  const lost = await change([
    { name: 'hops', version: await version('hops'), value: 9 },
    { name: 'keyTpm', version: at, value: 9 },
  ])
  expect(lost).toMatchObject({ status: 409, body: { error: { code: 'conflict', field: 'keyTpm' } } })
  expect((await row('hops'))?.value).not.toBe(9)
  await reset('keyTpm')
})

it('of two whose changes do not go together one is refused, though each of them would go alone', async () => {
  const [min, max] = [await version('topUpMin'), await version('topUpMax')]
  const both = await Promise.all([
    change([{ name: 'topUpMin', version: min, value: '90' }]),
    change([{ name: 'topUpMax', version: max, value: '80' }]),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  const [minRow, maxRow] = [await row('topUpMin'), await row('topUpMax')]
  expect(Number(minRow?.value)).toBeLessThanOrEqual(Number(maxRow?.value))
  await reset('topUpMin')
  await reset('topUpMax')
})

describe('refuses', () => {
  it.each<[SettingName, unknown]>([
    ['keyRpm', 0],
    ['keyRpm', 1.5],
    ['keyRpm', '100'],
    ['keyRpm', null],
    ['keyRpm', undefined],
    ['keyTpm', 1e15],
    ['hops', 21],
    ['signUp', 'maybe'],
    ['signUpCredit', '-1'],
    ['signUpCredit', 'NaN'],
    ['signUpCredit', 5],
    ['topUpMin', '0'],
    ['topUpMin', '0.001'],
    ['topUpMax', '0.5'],
    ['maintenance', 'yes'],
    ['breakerCoolMostMs', 20],
    ['notice', { text: '', severity: 'info', until: null }],
    ['notice', { text: 'x', severity: 'loud', until: null }],
    ['notice', { text: 'x', severity: 'info', until: 'tomorrow' }],
    ['notice', { text: 'x', severity: 'info', until: null, html: '<b>' }],
  ])('%s as %j, and names it', async (name, value) => {
    const before = await row(name)
    const refused = await set(name, value)
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    expect(refused.body.error?.field).toMatch(new RegExp(`^(${name}|changes)`))
    expect(await row(name)).toEqual(before)
  })

  it('a setting that there is not, one that is named twice, nothing at all, and more than is asked', async () => {
    for (const changes of [
      [{ name: 'DATABASE_URL', version: 0, value: 'x' }],
      [{ name: '__proto__', version: 0, value: 1 }],
      [
        { name: 'hops', version: 0, value: 2 },
        { name: 'hops', version: 0, value: 3 },
      ],
      [],
      [{ name: 'hops', version: 0, value: 2, usual: true }],
    ])
      expect((await change(changes)).status).toBe(400)
  })
})

it('top-ups are bounded by what was just set', async () => {
  const withVersion = async (name: SettingName) => ({ name, version: await version(name) })
  const changed = await change([
    { ...(await withVersion('topUpMin')), value: '20' },
    { ...(await withVersion('topUpMax')), value: '30' },
  ])
  expect(changed.status).toBe(200)
  expect([world.console.ports.billing.topUpMinNano, world.console.ports.billing.topUpMaxNano]).toEqual([
    20_000_000_000n,
    30_000_000_000n,
  ])
  expect((await set('topUpMin', '31')).body.error?.field).toBe('topUpMin')
  await reset('topUpMin')
  await reset('topUpMax')
})

it('new accounts start with the days and the credit that are set', async () => {
  await set('historyDays', 7)
  await set('signUpCredit', '0.25')
  const created = await world.newUser()
  const { rows } = await world.pool.query('select history_days from account where id = $1', [created.accountId])
  expect(rows[0].history_days).toBe(7)
  expect((await world.console.ports.purses.sums(created.accountId)).balanceNano).toBe(250_000_000n)
  await reset('historyDays')
  await reset('signUpCredit')
})

it('everybody sees the notice until it ends', async () => {
  const until = new Date(NOW.getTime() + 60_000)
  const notice = { text: '  Moving house at noon  ', severity: 'warn', until: until.toISOString() }
  await set('notice', notice)
  const readNotice = async () => (await (await world.call(meRoute.GET, { as: holder })).json()).notice
  expect(await readNotice()).toEqual({ ...notice, text: 'Moving house at noon' })
  world.clock.at = until
  expect(await readNotice()).toBeNull()
  world.clock.at = NOW
  await reset('notice')
  expect(await readNotice()).toBeNull()
})

it('during maintenance account holders look and change nothing, strangers sign up for nothing, operators go on', async () => {
  await set('maintenance', true)
  const rename = (as: SignedInUser) =>
    world.call(profileRoute.POST, { method: 'POST', as, body: { name: 'Somebody' } }).then(({ status }) => status)
  const me = await world.call(meRoute.GET, { as: holder })
  expect(await me.json()).toMatchObject({ maintenance: true })
  const refused = await world.call(profileRoute.POST, { method: 'POST', as: holder, body: { name: 'Somebody' } })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('30')
  const guest = { name: 'New', email: 'maintenance@example.com', password: 'correct horse battery' }
  const waiting = await world.call(signUpRoute, { method: 'POST', body: guest })
  expect([waiting.status, await waiting.json()]).toMatchObject([
    503,
    { error: { message: expect.stringContaining('maintenance') } },
  ])
  expect(await rename(operator)).toBe(200)
  await reset('maintenance')
  expect(await rename(holder)).toBe(200)
})
