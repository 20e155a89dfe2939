import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeyInput } from '#lib/contracts/keys'
import { createKey } from '#lib/services/keys/create-key'
import { mintCodes } from '#lib/services/operator/mint-codes'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleWorld, NOW, openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller, loadOperatorRoutes } from './operator-world.ts'
import { enableSecondStep } from './sign-in-world.ts'

interface Case {
  /** A name in braces is the id of something made before: an account, its person, key, request, and a code. */
  path: string
  body?: object
  status?: number
  /** Who may do it if operators may not. */
  as?: 'owner'
}

const TOKEN = '6f1c2f1e-52d5-4a57-9d8c-0b6a3f4f2d11'
const money = { token: TOKEN, amountNano: '1000', reason: 'A good one' }

/** Every verb of the operator's side, called so that it succeeds. Its walls are in console-access-control.test.ts. */
const CASES: Record<string, Case> = {
  'GET connections': { path: 'connections' },
  'POST connections': { path: 'connections', body: { name: 'one', kind: 'sandbox' }, status: 201 },
  'GET connections/[id]': { path: 'connections/con_box' },
  'PATCH connections/[id]': { path: 'connections/con_box', body: { version: 1, concurrency: 5 } },
  'DELETE connections/[id]': { path: 'connections/con_real?version=1' },
  'POST connections/[id]/test': { path: 'connections/con_box/test', body: {} },
  'POST connections/[id]/offers': { path: 'connections/con_box/offers', body: {} },
  'POST connections/[id]/import': {
    path: 'connections/con_box/import',
    body: { take: [{ upstreamModel: 'sandbox/chat', modelId: 'box/chat', rates: { input: '1000', output: '1000' } }] },
  },
  'GET models': { path: 'models' },
  'POST models': {
    path: 'models',
    body: {
      id: 'house/new',
      ownedBy: 'house',
      modality: 'chat',
      contextWindow: 100,
      maxOutput: 10,
      rates: { input: '1', output: '1' },
    },
    status: 201,
  },
  'PATCH models': { path: 'models', body: { id: 'small', version: 1, ownedBy: 'another' } },
  'DELETE models': { path: 'models?id=hidden&version=1' },
  'GET model': { path: 'model?id=small' },
  'POST prices': { path: 'prices', body: { modelId: 'small', rates: { input: '5', output: '5' } }, status: 201 },
  'DELETE prices/[id]': { path: 'prices/prc_coming' },
  'POST deployments': {
    path: 'deployments',
    body: { modelId: 'large', connectionId: 'con_box', upstreamModel: 'x' },
    status: 201,
  },
  'POST deployments/[id]/breaker': { path: 'deployments/dep_box/breaker', body: { mode: 'held' } },
  'PATCH deployments/[id]': { path: 'deployments/dep_box', body: { version: 1, weight: 3 } },
  'DELETE deployments/[id]': { path: 'deployments/dep_box?version=2' },
  'GET traffic': { path: 'traffic' },
  'GET traffic/attention': { path: 'traffic/attention' },
  'GET groups': { path: 'groups' },
  'POST groups': { path: 'groups', body: { name: 'third' }, status: 201 },
  'GET groups/[id]': { path: 'groups/grp_other' },
  'GET groups/[id]/accounts': { path: 'groups/grp_other/accounts' },
  'PATCH groups/[id]': { path: 'groups/grp_other', body: { version: 1, description: 'Changed' } },
  'DELETE groups/[id]': { path: 'groups/grp_other?version=2' },
  'GET alerts': { path: 'alerts' },
  'POST alerts': {
    path: 'alerts',
    body: { kind: 'breaker', modelId: null, emails: ['ops@example.com'], webhooks: true },
    status: 201,
  },
  'PATCH alerts/[id]': {
    path: 'alerts/alr_one',
    body: { kind: 'balance', version: 1, connectionId: 'con_real', belowNano: '5', emails: ['ops@example.com'], webhooks: false },
  },
  'DELETE alerts/[id]': { path: 'alerts/alr_one?version=2' },
  'GET alert-events': { path: 'alert-events' },
  'POST alert-webhooks': { path: 'alert-webhooks', body: { url: 'https://hooks.example.com/a' }, status: 201 },
  'POST alert-webhooks/[id]/enable': { path: 'alert-webhooks/hook_off/enable', body: {} },
  'POST alert-webhooks/[id]/test': { path: 'alert-webhooks/hook_one/test', body: {} },
  'DELETE alert-webhooks/[id]': { path: 'alert-webhooks/hook_one' },
  'GET balances': { path: 'balances' },
  'PATCH balances/[id]': { path: 'balances/con_real', body: { version: 0, amountNano: '5000000000' } },
  'GET settings': { path: 'settings' },
  'PATCH settings': { path: 'settings', body: { changes: [{ name: 'keyRpm', version: 0, value: 100 }] } },
  'GET audit': { path: 'audit' },
  'GET accounts': { path: 'accounts?search=person' },
  'GET accounts/[id]': { path: 'accounts/{account}' },
  'GET accounts/[id]/usage': { path: 'accounts/{account}/usage' },
  'GET accounts/[id]/entries': { path: 'accounts/{account}/entries' },
  'GET accounts/[id]/requests': { path: 'accounts/{account}/requests' },
  'GET accounts/[id]/request': { path: 'accounts/{account}/request?request={request}' },
  'POST accounts/[id]/grant': { path: 'accounts/{account}/grant', body: { ...money, amountNano: '5000' } },
  'POST accounts/[id]/deduct': {
    path: 'accounts/{account}/deduct',
    body: { ...money, token: '6f1c2f1e-52d5-4a57-9d8c-0b6a3f4f2d12' },
  },
  'POST accounts/[id]/suspend': { path: 'accounts/{account}/suspend', body: { reason: 'Too many refunds' } },
  'POST accounts/[id]/resume': { path: 'accounts/{account}/resume', body: {} },
  'POST accounts/[id]/revoke-key': { path: 'accounts/{account}/revoke-key', body: { keyId: '{key}' } },
  'POST people/[id]/role': { path: 'people/{person}/role', body: { from: 'holder', to: 'support' }, as: 'owner' },
  'POST people/[id]/sign-out': { path: 'people/{person}/sign-out', body: {} },
  'POST people/[id]/reset-second-step': { path: 'people/{person}/reset-second-step', body: {}, as: 'owner' },
  'GET codes': { path: 'codes' },
  'POST codes': { path: 'codes', body: { token: TOKEN, amountNano: '1000', count: 2 }, status: 201 },
  'DELETE codes/[id]': { path: 'codes/{code}' },
  'DELETE codes/[id]/minting': { path: 'codes/{code}/minting' },
}

const routes = await loadOperatorRoutes()

let world: ConsoleWorld
let people: Record<'support' | 'operator' | 'owner', SignedInUser>
let idsByName: Record<string, string>
let call: ReturnType<typeof createCaller>
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  people = {
    support: await world.newUser('support'),
    operator: await world.newUser('operator'),
    owner: await world.newUser('owner'),
  }
  const holder = await world.newUser()
  await world.pool.query('update app_user set email_verified_at = now() where id = $1', [holder.userId])
  await enableSecondStep(world, holder)
  const key = await createKey({ ctx: world.as(holder), input: createKeyInput.parse({ name: 'Theirs', groupId: 'grp_main' }) })
  const mint = { token: randomUUID(), amountNano: '7', count: 2, note: '' }
  await mintCodes({ ctx: world.as(people.operator), input: mint })
  idsByName = {
    account: holder.accountId,
    person: holder.userId,
    key: key.key.id,
    request: await world.settle(holder, { at: NOW }),
    code: (await world.console.ports.codes.page({ state: null, after: null, at: NOW }, 1))[0]?.id ?? '',
  }
  await world.pool.query(`
    insert into price (id, model_id, starts_at, units, vendor_units)
    values ('prc_coming', 'small', now() + interval '1 day', '{"input": "5", "output": "5"}', '{}')`)
  const ask = createCaller(world, routes)
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => idsByName[name] ?? '')
  call = (method, path, as, body) =>
    ask(method, filled(path), as, body === undefined ? body : JSON.parse(filled(JSON.stringify(body))))
  const { alerts } = world.console.ports
  const notifyFields = { quietMinutes: 5, emails: ['ops@example.com'], webhooks: false, enabled: true }
  const none = { percentBp: null, minutes: null, leastRequests: null, belowNano: null }
  await alerts.addRule(people.operator, 'alr_one', { kind: 'breaker', scope: 'all', scopeId: null, ...none, ...notifyFields })
  const hook = { id: 'hook_one', url: 'https://hooks.example.com/one', description: '', secret: 'whsec_x', at: world.clock.at }
  await alerts.addWebhook(people.operator, hook, 10)
  await alerts.addWebhook(people.operator, { ...hook, id: 'hook_off' }, 10)
  await world.pool.query(`update webhook_endpoint set enabled = false, disabled_reason = 'failing' where id = 'hook_off'`)
})
afterAll(() => world.close())

const logged = async () => Number((await world.pool.query('select count(*)::int as n from audit_log')).rows[0].n)

it('every route of the operator’s side has a case here', () => {
  const verbs = Object.entries(routes).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
  expect(verbs.sort()).toEqual(Object.keys(CASES).sort())
})

const cases = Object.entries(CASES).map(([name, verbCase]) => ({
  name,
  method: name.split(' ')[0] ?? '',
  ...verbCase,
  as: verbCase.as ?? ('operator' as const),
}))

describe.each(cases)('$name', ({ method, path, body, status = 200, as }) => {
  const reads = method === 'GET'
  if (!reads)
    it('refuses support, which only looks, and logs nothing', async () => {
      const before = await logged()
      expect((await call(method, path, people.support, body)).status).toBe(403)
      expect(await logged()).toBe(before)
    })
  if (reads)
    it('lets support look', async () => {
      expect((await call(method, path, people.support)).status).toBe(200)
    })
  if (as === 'owner')
    it('refuses operators, and logs nothing', async () => {
      const before = await logged()
      expect((await call(method, path, people.operator, body)).status).toBe(403)
      expect(await logged()).toBe(before)
    })
  it(`does it for an ${as}, and what changes something is in the log`, async () => {
    const before = await logged()
    const answer = await call(method, path, people[as], body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    const changes = !reads && !/test$|offers$/.test(path)
    expect((await logged()) > before).toBe(changes)
    if (!changes) return
    const { rows } = await world.pool.query('select actor from audit_log order by id desc limit 1')
    expect(rows[0].actor).toBe(people[as].email)
  })
})
