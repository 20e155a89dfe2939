import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OperatorModel } from '#lib/contracts/operator'
import { priceAt } from '#lib/domain/catalog'
import type { SignedInUser } from '#lib/services/ports'
import { type FakeVendor, startFakeVendor } from '../fakes/vendor.ts'
import { type ConsoleWorld, NOW, openConsoleWorld, provideConsole } from './console-world.ts'
import { catalogOf, connectVendor, createCaller, loadOperatorRoutes, offerModels, SECRET } from './operator-world.ts'

const routes = await loadOperatorRoutes()

let world: ConsoleWorld
let vendor: FakeVendor
let ada: SignedInUser
let call: ReturnType<typeof createCaller>
beforeAll(async () => {
  world = await openConsoleWorld()
  vendor = await startFakeVendor()
  provideConsole(world.console)
  await world.pool.query(`update model set modality = 'chat'`)
  ada = await world.newUser('operator')
  call = createCaller(world, routes)
})
afterAll(async () => {
  await world.close()
  await vendor[Symbol.asyncDispose]()
})
beforeEach(() => {
  vendor.calls.length = 0
})

const connect = (more: object = {}) => connectVendor(call, ada, { baseUrl: vendor.url, ...more })
const catalog = () => catalogOf(world)
const auditOf = async (id: string) =>
  (await world.pool.query('select verb, before, after from audit_log where target_id = $1 order by id', [id])).rows

describe('secrets', () => {
  it('are sealed, reach the vendor, and are in no answer, no log and no line of the audit', async () => {
    offerModels(vendor, ['gpt-4o'])
    const headers = { 'x-team': 'header-secret-1234' }
    const { id, version } = await connect({ headers, proxy: null })
    const answers = [
      await call('GET', 'connections', ada),
      await call('GET', `connections/${id}`, ada),
      await call('POST', `connections/${id}/test`, ada, {}),
      await call('PATCH', `connections/${id}`, ada, { version, credentials: { apiKey: `${SECRET}-2` }, concurrency: 4 }),
      await call('GET', 'audit', ada),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const responseText = JSON.stringify([answers, world.errors])
    for (const secret of [SECRET, 'header-secret-1234']) expect(responseText).not.toContain(secret)
    expect(answers[1]?.body).toMatchObject({ hasSecret: true, headerNames: ['x-team'] })
    const [, shown, , , log] = answers.map(({ body }) => body as Record<string, unknown>)
    expect(log?.rows).toContainEqual(expect.objectContaining({ targetId: id, name: shown?.name, modelId: null }))
    expect(vendor.calls[0]?.headers).toMatchObject({ authorization: `Bearer ${SECRET}`, 'x-team': 'header-secret-1234' })
    const { rows } = await world.pool.query('select secret_sealed, headers_sealed, headers from connection where id = $1', [id])
    expect(Buffer.concat([rows[0].secret_sealed, rows[0].headers_sealed]).toString('latin1')).not.toMatch(
      /sk-vendor|header-secret/,
    )
    expect(rows[0].headers).toEqual({})
    const lines = await auditOf(id)
    expect(lines.map(({ verb }) => verb)).toEqual(['connection.add', 'connection.change'])
    expect(lines[1].after).toMatchObject({ concurrency: 4, secret_sealed: expect.stringMatching(/^set \(/) })
    expect(JSON.stringify(lines)).not.toContain('sk-vendor')
  })

  it('stay where they are: a connection moves to another host only with its credentials given again', async () => {
    const { id, version } = await connect({ headers: { 'x-team': 'blue' } })
    const moved = { version, baseUrl: 'https://elsewhere.example/v1' }
    const kept = await call('PATCH', `connections/${id}`, ada, moved)
    expect(kept.body.error).toMatchObject({ code: 'invalid_input', field: 'credentials' })
    const through = await call('PATCH', `connections/${id}`, ada, { version, proxy: 'http://proxy.example:1' })
    expect(through.body.error).toMatchObject({ field: 'credentials' })
    const header = await call('PATCH', `connections/${id}`, ada, {
      ...moved,
      credentials: { apiKey: 'x' },
      headers: { 'x-team': null },
    })
    expect(header.body.error).toMatchObject({ field: 'headers' })
    const complete = await call('PATCH', `connections/${id}`, ada, { ...moved, credentials: { apiKey: 'x' }, headers: {} })
    expect(complete.status).toBe(200)
  })
})

describe('the kinds of vendors', () => {
  const readConnection = async (id: string) => {
    const { rows } = await world.pool.query('select base_url, secret_sealed from connection where id = $1', [id])
    const sealed = rows[0].secret_sealed as Buffer | null
    return { baseUrl: rows[0].base_url, secret: sealed && world.console.ports.sealing.open(sealed) }
  }
  it('build an address of its parts, and keep it when only the key is another', async () => {
    const { id, version } = await connect({
      kind: 'azure',
      baseUrl: null,
      credentials: { resource: 'acme-east', apiKey: SECRET },
    })
    const baseUrl = 'https://acme-east.openai.azure.com/openai/v1'
    expect(await readConnection(id)).toEqual({ baseUrl, secret: SECRET })
    const rekeyed = await call('PATCH', `connections/${id}`, ada, { version, credentials: { apiKey: 'another' } })
    expect(rekeyed.status, JSON.stringify(rekeyed.body)).toBe(200)
    expect(await readConnection(id)).toEqual({ baseUrl, secret: 'another' })
    const moved = { version: version + 1, credentials: { resource: 'acme-west', apiKey: 'third' } }
    expect((await call('PATCH', `connections/${id}`, ada, moved)).status).toBe(200)
    expect(await readConnection(id)).toEqual({ baseUrl: 'https://acme-west.openai.azure.com/openai/v1', secret: 'third' })
  })
  it('take a whole address instead of its parts', async () => {
    const { id } = await connect({ kind: 'azure', baseUrl: 'https://gateway.example/openai/v1/' })
    expect(await readConnection(id)).toEqual({ baseUrl: 'https://gateway.example/openai/v1', secret: SECRET })
  })
  it('keep several secrets under their names', async () => {
    const keys = { accessKeyId: 'AKIA1', secretAccessKey: 'secret' }
    const { id } = await connect({ kind: 'amazon-bedrock', baseUrl: null, credentials: { region: 'eu-west-1', ...keys } })
    const { baseUrl, secret } = await readConnection(id)
    expect(baseUrl).toBe('https://bedrock-runtime.eu-west-1.amazonaws.com')
    expect(JSON.parse(secret ?? '')).toEqual(keys)
    expect((await call('POST', `connections/${id}/test`, ada, {})).body).toMatchObject({ ok: false, reason: 'unlisted' })
  })
  it.each([
    [{ kind: 'openai', credentials: {} }, 'credentials.apiKey'],
    [{ kind: 'openai', credentials: { apiKey: 'x', region: 'eu' } }, 'credentials.region'],
    [{ kind: 'azure', credentials: { apiKey: 'x' } }, 'credentials.resource'],
    [{ kind: 'azure', credentials: { apiKey: 'x', resource: '../evil' } }, 'credentials.resource'],
    [{ kind: 'amazon-bedrock', credentials: { region: 'eu-west-1', accessKeyId: 'x' } }, 'credentials.apiKey'],
    [{ kind: 'openai-compatible', credentials: {} }, 'baseUrl'],
    [{ kind: 'openai', baseUrl: 'https://me:secret@api.example/v1', credentials: { apiKey: 'x' } }, 'baseUrl'],
    [{ kind: 'no-such', credentials: {} }, 'kind'],
  ])('refuse %j, naming %s', async (more, field) => {
    const answer = await call('POST', 'connections', ada, { name: 'refused', ...more })
    expect({ status: answer.status, field: answer.body.error?.field }).toEqual({ status: 400, field })
  })
  it('stay where they are: another part of an address wants the secrets again', async () => {
    const { id, version } = await connect({ kind: 'azure', baseUrl: null, credentials: { resource: 'acme', apiKey: SECRET } })
    const moved = await call('PATCH', `connections/${id}`, ada, { version, baseUrl: 'https://elsewhere.example/openai/v1' })
    expect(moved.body.error).toMatchObject({ field: 'credentials' })
    const parts = await call('PATCH', `connections/${id}`, ada, { version, credentials: { resource: 'other' } })
    expect(parts.body.error).toMatchObject({ field: 'credentials.apiKey' })
  })
})

describe('two at once', () => {
  it.each([
    ['connections/con_box', { concurrency: 5 }, {}],
    ['models', { ownedBy: 'somebody' }, { id: 'small' }],
    ['deployments/dep_box', { weight: 2 }, {}],
    ['groups/grp_other', { description: 'x' }, {}],
  ])('%s: the second is told, and changes nothing', async (path, change, named) => {
    const both = await Promise.all([1, 2].map(() => call('PATCH', path, ada, { ...named, ...change, version: 1 })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.body.error?.code).toBe('conflict')
    const later = await call('PATCH', path, ada, { ...named, ...change, version: 2 })
    expect(later.status).toBe(200)
  })
})

describe('prices', () => {
  const priceIn = async (id: string, at: Date) => priceAt((await catalog()).models.get(id) as never, at)
  it('are versions: a change starts now or later, and what was charged keeps its own', async () => {
    const user = await world.newUser()
    await world.console.ports.purses.credit({
      id: 'ent_1',
      accountId: user.accountId,
      kind: 'grant',
      amountNano: 10_000_000_000n,
      reason: 'x',
      actor: 'x',
      at: NOW,
    })
    const charged = await world.settle(user, { at: NOW, total: 1000n })
    const receipt = async () =>
      (await world.pool.query('select charged_nano, receipt from usage_record where id = $1', [charged])).rows[0]
    const before = await receipt()
    expect((await call('POST', 'prices', ada, { modelId: 'large', rates: { input: '1', output: '2' } })).status).toBe(201)
    const startsSoonAt = new Date(Date.now() + 3_600_000)
    const coming = { modelId: 'large', rates: { input: '7', output: '8' }, startsAt: startsSoonAt.toISOString(), note: 'Dearer' }
    // The console's clock stands still at a time before the database's present.
    world.clock.at = new Date()
    expect((await call('POST', 'prices', ada, coming)).status).toBe(201)
    expect((await priceIn('large', new Date()))?.rates).toEqual({ input: 1n, output: 2n })
    expect((await priceIn('large', startsSoonAt))?.rates).toEqual({ input: 7n, output: 8n })
    expect(await receipt()).toEqual(before)
    const model = await call('GET', 'model?id=large', ada)
    expect((model.body as { prices?: unknown[] }).prices).toHaveLength(2)
    expect(model.body).toMatchObject({ rates: { input: '1', output: '2' } })
    world.clock.at = NOW
  })
  it('are set by one at a time: who has not seen the last one is told', async () => {
    const { body } = await call('GET', 'model?id=large', ada)
    const seen = (body as unknown as OperatorModel).prices.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1)?.id
    const set = (rate: string, more: object) =>
      call('POST', 'prices', ada, { modelId: 'large', rates: { input: rate, output: rate }, ...more })
    const both = await Promise.all([set('500', { seen }), set('700', { seen })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect((await set('600', { seen: null })).status).toBe(409)
    expect((await set('600', {})).status).toBe(201)
  })
  it.each([
    [{ rates: { input: '1' } }, 'rates'],
    [{ rates: {} }, 'rates'],
    [{ rates: { input: '-1', output: '1' } }, 'rates.input'],
    [{ rates: { gold: '1' } }, 'rates.gold'],
    [{ rates: { input: '1', output: '1' }, startsAt: '2020-01-01T00:00:00Z' }, 'startsAt'],
  ])('refuse %j, naming the field', async (body, field) => {
    const answer = await call('POST', 'prices', ada, { modelId: 'small', ...body })
    expect({ status: answer.status, field: answer.body.error?.field }).toEqual({ status: 400, field })
  })

  it('that have not begun are withdrawn, once; those that hold, held or are about to hold are not', async () => {
    const setAt = async (startsAt: string | null): Promise<string> => {
      const rates = { input: '3', output: '4' }
      const answer = await call('POST', 'prices', ada, { modelId: 'large', rates, ...(startsAt === null ? {} : { startsAt }) })
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      return (answer.body as unknown as { id: string }).id
    }
    const timeIn = (ms: number) => new Date(Date.now() + ms).toISOString()
    const before = (await catalog()).models.get('large')?.prices.length ?? 0
    const coming = await setAt(timeIn(3_600_000))
    const { rows: lastChange } = await world.pool.query('select max(id) as id from change')
    expect((await call('DELETE', `prices/${coming}`, ada)).status).toBe(200)
    expect((await catalog()).models.get('large')?.prices).toHaveLength(before)
    expect(await auditOf(coming)).toMatchObject([{ verb: 'price.add' }, { verb: 'price.withdraw', after: null }])
    // Every process hears of it.
    expect((await world.pool.query("select from change where id > $1 and topic = 'catalog'", [lastChange[0].id])).rowCount).toBe(
      1,
    )
    expect(await call('DELETE', `prices/${coming}`, ada)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    const [now, imminentId] = [await setAt(null), await setAt(timeIn(5000))]
    for (const id of [now, imminentId]) {
      const answer = await call('DELETE', `prices/${id}`, ada)
      expect(answer).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict', message: expect.stringContaining('is in effect') } },
      })
      // The table itself refuses to delete them, whoever runs the query.
      await expect(world.pool.query('delete from price where id = $1', [id])).rejects.toThrow(/append-only/)
    }
    await expect(world.pool.query('update price set note = $2 where id = $1', [imminentId, 'x'])).rejects.toThrow(/append-only/)
    await expect(world.pool.query('delete from price')).rejects.toThrow(/append-only/)
    // A gateway that is out of touch could go on for half its life.
    await world.pool.query(
      `insert into process (id, beat_at, started_at, pid, host, life_ms) values ('proc_slow', now(), now(), 1, 'h', 600000)`,
    )
    const [near, far] = [await setAt(timeIn(300_000)), await setAt(timeIn(330_000))]
    expect((await call('DELETE', `prices/${near}`, ada)).status).toBe(409)
    expect((await call('DELETE', `prices/${far}`, ada)).status).toBe(200)
    await world.pool.query("delete from process where id = 'proc_slow'")
  })
})

describe('deployments', () => {
  const shown = async (id: string) => {
    const { body } = await call('GET', 'model?id=large', ada)
    return (body as unknown as OperatorModel).deploymentRows.find((row) => row.id === id)
  }
  it('say that their connection is archived', async () => {
    const { id: connectionId } = await connect()
    const { id } = (await call('POST', 'deployments', ada, { modelId: 'large', connectionId, upstreamModel: 'gpt' })).body
    expect(await shown(id ?? '')).toMatchObject({ connectionArchived: false })
    const { version } = (await call('GET', `connections/${connectionId}`, ada)).body as unknown as { version: number }
    expect((await call('DELETE', `connections/${connectionId}?version=${version}`, ada)).status).toBe(200)
    expect(await shown(id ?? '')).toMatchObject({ connectionArchived: true })
  })

  it('are set, changed and taken away, and stand in the log', async () => {
    const { id: connectionId } = await connect()
    const body = { modelId: 'large', connectionId, upstreamModel: 'gpt', requestsPerMinute: 500, tokensPerMinute: 200_000 }
    const created = await call('POST', 'deployments', ada, body)
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    const { id } = created.body as unknown as { id: string }
    expect(await shown(id)).toMatchObject({ requestsPerMinute: 500, tokensPerMinute: 200_000, isFull: false })
    expect((await call('PATCH', `deployments/${id}`, ada, { version: 1, requestsPerMinute: 60 })).status).toBe(200)
    expect(await shown(id)).toMatchObject({ requestsPerMinute: 60, tokensPerMinute: 200_000 })
    const [deployment] = (await catalog()).models.get('large')?.deployments.filter((one) => one.id === id) ?? []
    expect(deployment).toMatchObject({ requestsPerMinute: 60, tokensPerMinute: 200_000 })
    const none = { requestsPerMinute: null, tokensPerMinute: null }
    expect((await call('PATCH', `deployments/${id}`, ada, { version: 2, ...none })).status).toBe(200)
    expect(await shown(id)).toMatchObject(none)
    const log = (await call('GET', `audit?targetId=${id}`, ada)).body as Record<string, unknown>
    expect(log.rows).toContainEqual(expect.objectContaining({ targetId: id, name: 'gpt', modelId: 'large' }))
    const lines = await auditOf(id)
    expect(lines[1]).toMatchObject({ before: { requests_per_minute: 500 }, after: { requests_per_minute: 60 } })
    expect(lines[2]).toMatchObject({ after: { requests_per_minute: null, tokens_per_minute: null } })
  })
  it.each([
    ['requestsPerMinute', [0, -1, 1.5, '500', 1_000_001]],
    ['tokensPerMinute', [0, -1, 0.5, '200k', 1_000_000_001]],
  ])('that are none are refused, naming %s', async (field, values) => {
    for (const value of values) {
      const body = { modelId: 'large', connectionId: 'con_box', upstreamModel: 'refused', [field]: value }
      const created = await call('POST', 'deployments', ada, body)
      expect({ status: created.status, field: created.body.error?.field }).toEqual({ status: 400, field })
      const changed = await call('PATCH', 'deployments/dep_box', ada, { version: 1, [field]: value })
      expect({ status: changed.status, field: changed.body.error?.field }).toEqual({ status: 400, field })
    }
  })
})

describe('what is archived', () => {
  it('is out of use, kept, and can be restored', async () => {
    const { id } = await connect()
    const body = { modelId: 'large', connectionId: id, upstreamModel: 'up' }
    await call('POST', 'deployments', ada, body)
    const runs = async () => (await catalog()).models.get('large')?.deployments.some(({ connection }) => connection.id === id)
    expect(await runs()).toBe(true)
    expect((await call('DELETE', `connections/${id}?version=1`, ada)).status).toBe(200)
    expect(await runs()).toBe(false)
    expect((await call('PATCH', `connections/${id}`, ada, { version: 2, archived: false })).status).toBe(200)
    expect(await runs()).toBe(true)
  })
  it('the default group is not', async () => {
    const { body } = await call('GET', 'groups/grp_main', ada)
    const version = (body as unknown as { version: number }).version
    expect((await call('DELETE', `groups/grp_main?version=${version}`, ada)).status).toBe(409)
  })
})

describe('groups', () => {
  it('that are not open are chosen by the accounts that they name, and by no other', async () => {
    const [friend, stranger] = [await world.newUser(), await world.newUser()]
    const { body } = await call('POST', 'groups', ada, { name: 'friends', open: false, multiplierBp: 5000 })
    const id = (body as unknown as { id: string }).id
    const add = await call('PATCH', `groups/${id}`, ada, { version: 1, addAccounts: [friend.email], addModels: ['small'] })
    expect(add.status, JSON.stringify(add.body)).toBe(200)
    const chosen = async (account: string | null) =>
      (await world.console.ports.catalog.groups(account)).some((group) => group.id === id)
    expect([await chosen(friend.accountId), await chosen(stranger.accountId), await chosen(null)]).toEqual([true, false, false])
    const unknown = await call('PATCH', `groups/${id}`, ada, { version: 2, addAccounts: ['nobody@example.com'] })
    expect(unknown.body.error?.field).toBe('addAccounts')
  })
  it('has all of its accounts, page by page', async () => {
    const { body } = await call('POST', 'groups', ada, { name: 'many', open: false })
    const id = (body as unknown as { id: string }).id
    const users: SignedInUser[] = []
    for (let left = 5; left > 0; left--) users.push(await world.newUser())
    const addAccounts = users.map(({ email }) => email)
    expect((await call('PATCH', `groups/${id}`, ada, { version: 1, addAccounts })).status).toBe(200)
    const seen: unknown[] = []
    let before = ''
    for (;;) {
      const page = await call('GET', `groups/${id}/accounts?limit=2${before}`, ada)
      const { rows, next } = page.body as unknown as { rows: { id: string; email: string }[]; next: string | null }
      seen.push(...rows.map((row) => [row.id, row.email]))
      if (next === null) break
      expect(rows).toHaveLength(2)
      before = `&before=${next}`
    }
    const expectedRows = users.map(({ accountId, email }) => [accountId, email])
    expect(seen).toEqual(expectedRows.sort(([one = ''], [other = '']) => (one < other ? 1 : -1)))
  })
  it('one is the default, and which one can change', async () => {
    const { body } = await call('GET', 'groups/grp_other', ada)
    const { version } = body as unknown as { version: number }
    expect((await call('PATCH', 'groups/grp_other', ada, { version, isDefault: true })).status).toBe(200)
    const { rows } = await world.pool.query('select id from model_group where is_default')
    expect(rows).toEqual([{ id: 'grp_other' }])
  })
})

it('lists are read by key: every model once, page by page', async () => {
  await world.pool.query(`
    insert into model (id, owned_by, modality, context_window, max_output)
      select 'bulk/' || lpad(n::text, 4, '0'), 'bulk', 'chat', 1000, 100 from generate_series(1, 1000) n;
    insert into price (id, model_id, starts_at, units, vendor_units)
      select 'prc_bulk_' || n, 'bulk/' || lpad(n::text, 4, '0'), '2026-01-01', '{"input":"1","output":"1"}', '{}' from generate_series(1, 1000) n`)
  const seen: string[] = []
  let before = ''
  for (;;) {
    const { body } = await call('GET', `models?limit=100&search=bulk/${before}`, ada)
    const { rows, next } = body as unknown as { rows: { id: string }[]; next: string | null }
    seen.push(...rows.map(({ id }) => id))
    if (next === null) break
    before = `&before=${encodeURIComponent(next)}`
  }
  expect(seen.length).toBe(1000)
  expect(new Set(seen).size).toBe(1000)
})
