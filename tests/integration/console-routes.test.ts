import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { modelList } from '#lib/contracts/catalog'
import { problem } from '#lib/contracts/common'
import { createdKey, groupList, keyList } from '#lib/contracts/keys'
import { overview } from '#lib/contracts/overview'
import { requestDetail, requestPage } from '#lib/contracts/requests'
import { me } from '#lib/contracts/session'
import { usageReport } from '#lib/contracts/usage'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleWorld, NOW, ORIGIN, openConsoleWorld, PASSWORD, provideConsole } from './console-world.ts'

const routes = {
  me: await import('#app/api/me/route'),
  overview: await import('#app/api/overview/route'),
  groups: await import('#app/api/groups/route'),
  models: await import('#app/api/models/route'),
  keys: await import('#app/api/keys/route'),
  key: await import('#app/api/keys/[id]/route'),
  rotateKey: await import('#app/api/keys/[id]/rotate/route'),
  usage: await import('#app/api/usage/route'),
  usageExport: await import('#app/api/usage/export/route'),
  requests: await import('#app/api/requests/route'),
  request: await import('#app/api/requests/[id]/route'),
  signUp: await import('#app/api/sign-up/route'),
  health: await import('#app/api/health/route'),
}

let world: ConsoleWorld
let user: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  user = await world.newUser()
})
afterAll(() => world.close())
beforeEach(() => {
  world.errors.length = 0
})
afterEach(() => {
  provideConsole(world.console)
})

const key = { name: 'Mine', groupId: 'grp_main' }
const postKey = (overrides: object = {}) => world.call(routes.keys.POST, { method: 'POST', as: user, body: key, ...overrides })
const keyCount = async () => (await world.console.ports.keys.list(user.accountId)).length
async function problemOf(response: Response) {
  return { status: response.status, ...problem.parse(await response.json()).error }
}

describe('reading', () => {
  it.each([
    ['/api/me', () => routes.me.GET, me],
    ['/api/overview?days=7', () => routes.overview.GET, overview],
    ['/api/overview', () => routes.overview.GET, overview],
    ['/api/groups', () => routes.groups.GET, groupList],
    ['/api/models', () => routes.models.GET, modelList],
    ['/api/keys', () => routes.keys.GET, keyList],
    ['/api/usage?range=7d&by=key', () => routes.usage.GET, usageReport],
    ['/api/requests?limit=5&status=ok', () => routes.requests.GET, requestPage],
  ])('GET %s answers its contract, for nobody to keep', async (path, handler, schema) => {
    const response = await world.call(handler(), { path, as: user })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-type')).toContain('application/json')
    schema.parse(await response.json())
  })

  it('does few slow things at once for an account, and what is quick beside them', async () => {
    const busyUser = await world.newUser()
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    let running = 0
    const slowRoute = world.routes.consoleRoute(
      async () => {
        running++
        await ended
      },
      { slow: true },
    )
    const slowCalls = Array.from({ length: 20 }, () => world.call(slowRoute, { as: busyUser }))
    await expect.poll(() => running).toBe(3)
    expect((await world.call(routes.me.GET, { as: busyUser })).status).toBe(200)
    const statuses: number[] = []
    const extraCalls = Array.from({ length: 300 }, async () => {
      const { status, headers } = await world.call(slowRoute, { as: busyUser })
      statuses.push(status)
      return headers.get('retry-after')
    })
    await expect.poll(() => statuses).toEqual(Array.from({ length: 17 }, () => 429))
    expect(running).toBe(3)
    end()
    expect((await Promise.all(extraCalls)).filter((seconds) => seconds === '5').length).toBe(17)
    await Promise.all(slowCalls)
    expect(running).toBe(303)
  })

  it.each(['q=%00', 'key=a%00', 'model=a%00', 'q=a%00&in=messages', 'cost=9999999999.999999999'])(
    'GET /api/requests?%s is a mistake, and none of ours',
    async (query) => {
      const answer = await world.call(routes.requests.GET, { path: `/api/requests?${query}`, as: user })
      expect(answer.status).toBe(400)
      expect(world.errors).toEqual([])
    },
  )

  it('GET /api/requests/{id} answers its contract', async () => {
    const id = await world.settle(user, { at: NOW })
    const response = await world.call(routes.request.GET, { path: `/api/requests/${id}`, params: { id }, as: user })
    expect(requestDetail.parse(await response.json()).id).toBe(id)
  })

  it.each(['me', 'overview', 'groups', 'keys', 'usage', 'usageExport', 'requests'] as const)(
    'refuses a stranger at %s',
    async (name) => {
      const response = await world.call(routes[name].GET, { path: `/api/${name}` })
      expect(await problemOf(response)).toMatchObject({ status: 401, code: 'signed_out' })
    },
  )

  it.each([
    ['/api/overview?days=31', () => routes.overview.GET, 'days'],
    ['/api/requests?limit=0', () => routes.requests.GET, 'limit'],
    ['/api/requests?limit=0x10', () => routes.requests.GET, 'limit'],
    ['/api/requests?page=2', () => routes.requests.GET, 'page'],
    ['/api/me?x=1', () => routes.me.GET, 'x'],
    ['/api/usage?by=colour', () => routes.usage.GET, 'by'],
    ['/api/usage/export?from=2026-02-30&to=2026-03-01', () => routes.usageExport.GET, 'from'],
  ])('refuses %s, naming what is wrong', async (path, handler, field) => {
    const response = await world.call(handler(), { path, as: user })
    expect(await problemOf(response)).toMatchObject({ status: 400, code: 'invalid_input', field })
  })
})

describe('changing a key', () => {
  const patch = (id: string, body: object, overrides: object = {}) =>
    world.call(routes.key.PATCH, { method: 'PATCH', path: `/api/keys/${id}`, params: { id }, as: user, body, ...overrides })

  it('is about the key of the path, whatever the body says', async () => {
    const { key: ownKey } = createdKey.parse(await (await postKey()).json())
    const { key: other } = createdKey.parse(await (await postKey()).json())
    const answer = await patch(ownKey.id, { id: other.id, name: 'Renamed' })
    expect(answer.status).toBe(200)
    expect((await answer.json()).key).toMatchObject({ id: ownKey.id, name: 'Renamed' })
  })

  it.each([
    ['a wrong name', { name: '' }, {}, 400],
    ['a group', { groupId: 'grp_other' }, {}, 400],
    ['a list', [], {}, 400],
    ['a foreign origin', { name: 'x' }, { headers: { origin: 'https://evil.example' } }, 403],
    ['no JSON', { name: 'x' }, { headers: { 'content-type': 'text/plain' } }, 415],
    ['no session', { name: 'x' }, { as: undefined }, 401],
  ])('is refused with %s', async (_, body, more, status) => {
    const { key: ownKey } = createdKey.parse(await (await postKey()).json())
    expect((await patch(ownKey.id, body, more)).status).toBe(status)
  })

  it("is a 404 for another account's key, as is its rotation", async () => {
    const { key: ownKey } = createdKey.parse(await (await postKey()).json())
    const as = await world.newUser()
    expect((await patch(ownKey.id, { name: 'x' }, { as })).status).toBe(404)
    const call = { method: 'POST', params: { id: ownKey.id }, as, body: { overlap: 'now' } }
    expect((await world.call(routes.rotateKey.POST, call)).status).toBe(404)
  })
})

describe('GET /api/usage/export', () => {
  const get = (method = 'GET') =>
    world.call(routes.usageExport.GET, { method, path: '/api/usage/export?range=24h&rows=requests', as: user })

  it('answers a file that nobody keeps', async () => {
    await world.settle(user, { at: NOW, modelId: '@model' })
    const answer = await get()
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="tollgate-requests-2026-11-19-2026-11-20.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(await answer.text()).toContain(`,"'@model",`)
  })

  it('takes no place for a HEAD', async () => {
    for (let n = 0; n < 5; n++) expect((await get('HEAD')).status).toBe(200)
    expect((await get()).status).toBe(200)
  })
})

describe('sessions', () => {
  const status = async (as: SignedInUser, headers: Record<string, string> = {}) =>
    (await world.call(routes.me.GET, { as, headers })).status

  it('end when the epoch of their user moves on', async () => {
    const signedOutUser = await world.newUser()
    expect(await status(signedOutUser)).toBe(200)
    await world.pool.query('update app_user set session_epoch = 1 where id = $1', [signedOutUser.userId])
    // A session of the new epoch is accepted at once, and makes the old one known to be over.
    expect(await status({ ...signedOutUser, sessionEpoch: 1 })).toBe(200)
    expect(await status(signedOutUser)).toBe(401)
  })

  it('are none for who has no user', async () => {
    expect(await status({ ...user, userId: 'usr_gone' })).toBe(401)
  })

  it.each(['next-auth.session-token=garbled', 'next-auth.session-token=', 'other=1', '='])(
    'are none with the cookie %j',
    async (cookie) => {
      expect(await status(user, { cookie })).toBe(401)
    },
  )

  it('show the role that the database has now, not the one of the token', async () => {
    const promotedUser = await world.newUser('operator')
    const body = await (await world.call(routes.me.GET, { as: { ...promotedUser, role: 'holder' } })).json()
    expect(body.role).toBe('operator')
  })

  it('let in only the roles that a route names', async () => {
    const handler = world.routes.consoleRoute(async () => ({}), { roles: ['owner', 'operator'] })
    expect((await world.call(handler, { as: await world.newUser('operator') })).status).toBe(200)
    expect(await problemOf(await world.call(handler, { as: user }))).toMatchObject({ status: 403, code: 'not_allowed' })
  })
})

describe('changing', () => {
  it('POST /api/keys makes a key, and DELETE revokes it', async () => {
    const response = await postKey()
    expect(response.status).toBe(201)
    const { id } = createdKey.parse(await response.json()).key
    const revoked = await world.call(routes.key.DELETE, { method: 'DELETE', params: { id }, as: user, body: {} })
    expect([revoked.status, await revoked.json()]).toEqual([200, {}])
    const { rows } = keyList.parse(await (await world.call(routes.keys.GET, { as: user })).json())
    expect(rows.find((row) => row.id === id)?.state).toBe('revoked')
  })

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['nowhere', { origin: '' }],
    ['a Host made to agree', { origin: 'http://evil.example', host: 'evil.example' }],
  ])('is refused from %s', async (_, headers) => {
    const keyCountBefore = await keyCount()
    expect(await problemOf(await postKey({ headers }))).toMatchObject({ status: 403, code: 'wrong_origin' })
    const deleted = await world.call(routes.key.DELETE, { method: 'DELETE', params: { id: 'x' }, as: user, headers })
    expect(deleted.status).toBe(403)
    const signedUp = await world.call(routes.signUp.POST, { method: 'POST', body: {}, headers })
    expect(signedUp.status).toBe(403)
    expect(await keyCount()).toBe(keyCountBefore)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])('is refused as %j', async (type) => {
    const response = await postKey({ headers: { 'content-type': type } })
    expect(await problemOf(response)).toMatchObject({ status: 415, code: 'wrong_content' })
    const deleted = await world.call(routes.key.DELETE, {
      method: 'DELETE',
      params: { id: 'x' },
      as: user,
      headers: { 'content-type': type },
    })
    expect(deleted.status).toBe(415)
  })

  it.each([
    ['name', { name: 'a\0b' }],
    ['addressAllow.1', { addressAllow: ['203.0.113.7', '2\0'] }],
  ])('is refused with a NUL in %s, which no text can hold', async (field, overrides) => {
    const answer = await postKey({ body: { ...key, ...overrides } })
    expect([answer.status, (await problemOf(answer)).field]).toEqual([400, field])
    expect(world.errors).toEqual([])
  })

  it('is refused compressed', async () => {
    expect((await postKey({ headers: { 'content-encoding': 'gzip' } })).status).toBe(415)
  })

  it('refuses a limit that is no number', async () => {
    const response = await postKey({ body: { ...key, limitTotalNano: 'ten' } })
    expect(await problemOf(response)).toMatchObject({ status: 400, code: 'invalid_input', field: 'limitTotalNano' })
  })

  it('takes JSON with a charset', async () => {
    expect((await postKey({ headers: { 'content-type': 'application/json; charset=utf-8' } })).status).toBe(201)
  })

  it('refuses a stranger before anything of the body is read', async () => {
    const request = new Request(`${ORIGIN}/api/keys`, {
      method: 'POST',
      headers: { origin: ORIGIN, host: 'localhost:3000', 'content-type': 'text/plain' },
      body: 'x'.repeat(100_000),
    })
    const response = await routes.keys.POST(request, { params: Promise.resolve({}) })
    expect([response.status, request.bodyUsed]).toEqual([401, false])
  })

  it('refuses a body of more than 64 KiB, stated or not', async () => {
    const long = JSON.stringify({ ...key, name: 'x'.repeat(65 * 1024) })
    expect(await problemOf(await postKey({ text: long }))).toMatchObject({ status: 413, code: 'too_large' })
    expect((await postKey({ headers: { 'content-length': '70000' } })).status).toBe(413)
  })

  it.each([
    ['{', undefined],
    ['', undefined],
    ['[]', undefined],
    ['{"name":" ","groupId":"grp_main"}', 'name'],
    ['{"name":"a"}', 'groupId'],
    ['{"name":"a","groupId":"grp_main","accountId":"acc_other"}', 'accountId'],
    ['{"name":"a","groupId":"grp_main","limitTotalNano":"-5"}', 'limitTotalNano'],
    ['{"name":"a","groupId":"grp_main","addressAllow":["10.0.0.0/8","nowhere"]}', 'addressAllow'],
  ])('refuses %s, naming the field', async (text, field) => {
    const refused = await problemOf(await postKey({ text }))
    expect(refused).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(refused.field).toBe(field === undefined ? undefined : field)
  })

  it("answers 404 for another account's key and request", async () => {
    const other = await world.newUser()
    const { id } = createdKey.parse(await (await postKey()).json()).key
    const requestId = await world.settle(user, { at: NOW })
    const deleted = await world.call(routes.key.DELETE, { method: 'DELETE', params: { id }, as: other })
    const read = await world.call(routes.request.GET, { params: { id: requestId }, as: other })
    expect(await problemOf(deleted)).toMatchObject({ status: 404, code: 'not_found' })
    expect(await problemOf(read)).toMatchObject({ status: 404, code: 'not_found' })
  })
})

describe('POST /api/sign-up', () => {
  const signUp = (email: string, clientIp: string) =>
    world.call(routes.signUp.POST, {
      method: 'POST',
      body: { name: 'New', email, password: PASSWORD },
      headers: { 'x-tollgate-address': clientIp },
    })

  it('opens an account for a stranger', async () => {
    const response = await signUp(' New@Example.com', '198.51.100.1')
    expect([response.status, await response.json()]).toEqual([201, {}])
    expect(await world.console.ports.users.byEmail('new@example.com')).toMatchObject({ name: 'New' })
  })

  it.each(['Ada\nand more', '\u202eetah ruoy'])('takes no name that is %j', async (name) => {
    const body = { name, email: 'plain@example.com', password: PASSWORD }
    const headers = { 'x-tollgate-address': '198.51.100.3' }
    const answer = await world.call(routes.signUp.POST, { method: 'POST', body, headers })
    expect(await problemOf(answer)).toMatchObject({ status: 400, field: 'name' })
  })

  it('answers a taken address as it answers a free one', async () => {
    const response = await signUp('new@example.com', '198.51.100.1')
    expect([response.status, await response.json()]).toEqual([201, {}])
  })

  it('stops who tries without end, by their address', async () => {
    const responses = await Promise.all(Array.from({ length: 11 }, () => signUp('new@example.com', '198.51.100.2')))
    const rateLimited = responses.find(({ status }) => status === 429)
    // An hour from the first try. The others may have taken a while to arrive.
    const waitS = Number(rateLimited?.headers.get('retry-after'))
    expect([waitS > 3500, waitS <= 3600], String(waitS)).toEqual([true, true])
    expect((await signUp('new@example.com', '198.51.100.3')).status).toBe(201)
  })
})

describe('what is our fault', () => {
  it('is said without any detail, which is in the log', async () => {
    const handler = world.routes.consoleRoute(async () => {
      throw new Error('relation "secret_table" does not exist')
    })
    const response = await world.call(handler, { path: '/api/x', as: user })
    const text = await response.clone().text()
    expect(await problemOf(response)).toMatchObject({ status: 500, code: 'server_error' })
    expect(text).not.toContain('secret_table')
    expect(JSON.stringify(world.errors)).toContain('secret_table')
  })

  it('tells its own errors from any copy of their class', async () => {
    const handler = world.routes.consoleRoute(async () => {
      throw Object.assign(new Error('Not now.'), { kind: 'service_error', code: 'conflict', field: null, retryAfterMs: null })
    })
    expect(await problemOf(await world.call(handler, { as: user }))).toMatchObject({ status: 409, message: 'Not now.' })
  })
})

describe('GET /api/health', () => {
  it('is well while the database answers', async () => {
    const response = await routes.health.GET()
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  })

  it.each([
    ['refuses', () => Promise.reject(new Error('down'))],
    ['hangs', () => new Promise<void>(() => {})],
  ])('is 503 while it %s', async (_, ping) => {
    provideConsole({ ...world.console, ping })
    expect((await routes.health.GET()).status).toBe(503)
  })
})
