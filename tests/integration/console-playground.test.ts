import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeyInput, keyList, keyQuery } from '#lib/contracts/keys'
import { playgroundKey, recordedFigures } from '#lib/contracts/playground'
import { requestPage, requestQuery } from '#lib/contracts/requests'
import { changePassword } from '#lib/services/account/change-password'
import { endOtherSessions, endSession } from '#lib/services/account/end-session'
import { listRequests } from '#lib/services/history/list-requests'
import { createKey, MAX_KEYS } from '#lib/services/keys/create-key'
import { hmacKey } from '#lib/services/keys/key-hash'
import { listKeys } from '#lib/services/keys/list-keys'
import { rotateKey } from '#lib/services/keys/rotate-key'
import { updateKey } from '#lib/services/keys/update-key'
import { createPlaygroundKey } from '#lib/services/playground/create-playground-key'
import type { SignedInUser } from '#lib/services/ports'
import { openSession } from '#lib/services/sign-in/open-session'
import type { SessionUser } from '#lib/services/sign-in/sign-in-ports'
import { upkeep } from '#lib/store/history-store'
import { findCaller } from '#lib/store/key-store'
import { type ConsoleWorld, NOW, ORIGIN, openConsoleWorld, PASSWORD, PEPPER, provideConsole } from './console-world.ts'

const route = await import('#app/api/playground/key/route')
const figuresRoute = await import('#app/api/playground/figures/route')

let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
})
afterAll(() => world.close())

const post = (as: SignedInUser | undefined, body: unknown = { groupId: 'grp_main' }, headers: Record<string, string> = {}) =>
  world.call(route.POST, { method: 'POST', body, headers, ...(as ? { as } : {}) })
const mintKey = async (as: SignedInUser, groupId = 'grp_main') => playgroundKey.parse(await (await post(as, { groupId })).json())
const callerOf = (secret: string) => findCaller(world.pool, hmacKey(PEPPER, secret))
const changesOf = async (keyId: string) =>
  (await world.pool.query("select 1 from change where topic = 'key' and ref = $1", [keyId])).rowCount

describe('the figures of a request that has ended', () => {
  const figures = async (as: SignedInUser, request: string) => {
    const response = await world.call(figuresRoute.GET, { path: `/api/playground/figures?request=${request}`, as })
    expect(response.status).toBe(200)
    return recordedFigures.parse(await response.json()).figures
  }

  it('are unknown until it is recorded, which is no error', async () => {
    const user = await world.newUser()
    expect(await figures(user, 'req_01m8hfny31xy4xfrgd0547mrxf')).toBeNull()
    expect(await figures(user, 'none')).toBeNull()
    const id = await world.settle(user, { at: new Date() })
    const { chargedNano, inputUnits, outputUnits } = (await world.console.ports.requests.find(user.accountId, id)) ?? {}
    expect(await figures(user, id)).toEqual({
      chargedNano: String(chargedNano),
      inputUnits: Number(inputUnits),
      outputUnits: Number(outputUnits),
    })
  })

  it('are those of the own account', async () => {
    const id = await world.settle(await world.newUser(), { at: new Date() })
    expect(await figures(await world.newUser(), id)).toBeNull()
  })
})

describe('keys that have ended', () => {
  it('are removed a day later, or revoked where records of usage have their name from them', async () => {
    const user = await world.newUser()
    const [usedKey, unusedKey, youngKey] = [await mintKey(user), await mintKey(user), await mintKey(user)]
    const ids = await Promise.all([usedKey, unusedKey, youngKey].map(async ({ secret }) => (await callerOf(secret))?.keyId ?? ''))
    const requestId = await world.settle(user, { at: new Date(Date.now() - 3 * 86_400_000), keyId: ids[0] ?? '' })
    const { key } = await createKey({ ctx: world.as(user), input: createKeyInput.parse({ name: 'Mine', groupId: 'grp_main' }) })
    const backdateKey = (id: string, days: number) =>
      world.pool.query('update api_key set expires_at = now() - make_interval(days => $2) where id = $1', [id, days])
    await Promise.all([
      backdateKey(ids[0] ?? '', 2),
      backdateKey(ids[1] ?? '', 2),
      backdateKey(ids[2] ?? '', 0),
      backdateKey(key.id, 9),
    ])
    await upkeep(world.pool)
    await upkeep(world.pool)
    const { rows } = await world.pool.query<{ id: string; ended: boolean }>(
      'select id, revoked_at = expires_at as ended from api_key where account_id = $1 order by created_at, id',
      [user.accountId],
    )
    expect(Object.fromEntries(rows.map(({ id, ended }) => [id, ended]))).toEqual({
      [ids[0] ?? '']: true,
      [ids[2] ?? '']: null,
      [key.id]: null,
    })
    const page = requestPage.parse(await listRequests({ ctx: world.as(user), input: requestQuery.parse({}) }))
    expect(page.rows.map(({ id, keyName }) => [id, keyName])).toEqual([[requestId, 'Playground']])
  })
})

describe('POST /api/playground/key', () => {
  it('makes a key of the account and group that asked, good for two hours, and keeps no secret', async () => {
    const user = await world.newUser()
    const response = await post(user, { groupId: 'grp_other' })
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { secret, expiresAt } = playgroundKey.parse(await response.json())
    expect(expiresAt).toBe(new Date(NOW.getTime() + 2 * 3_600_000).toISOString())
    const caller = await callerOf(secret)
    expect(caller).toMatchObject({
      accountId: user.accountId,
      groupId: 'grp_other',
      revoked: false,
      expiresAtMs: Date.parse(expiresAt),
      limitTotal: null,
      keepHistory: true,
    })
    const { rows } = await world.pool.query('select row_to_json(k)::text as text from api_key k where id = $1', [caller?.keyId])
    expect(rows[0].text).not.toContain(secret)
    expect(rows[0].text).toContain('"purpose":"playground"')
    expect(await changesOf(caller?.keyId ?? '')).toBe(1)
  })

  it('is neither listed nor counted among the keys that people make', async () => {
    const user = await world.newUser()
    await mintKey(user)
    expect(keyList.parse(await listKeys({ ctx: world.as(user), input: keyQuery.parse({}) })).rows).toEqual([])
    expect(await world.console.ports.usage.onboardingSteps(user.accountId)).toMatchObject({ key: false })
    await world.pool.query(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint)
       select 'key_play_' || n, $1, 'grp_main', 'n', ('play' || n)::bytea, 'h' from generate_series(1, $2) n`,
      [user.accountId, MAX_KEYS - 1],
    )
    const input = {
      name: 'Mine',
      groupId: 'grp_main',
      expiresAt: null,
      limitTotalNano: null,
      limitMonthNano: null,
      modelAllow: [],
      addressAllow: [],
      rpm: null,
      tpm: null,
      historyEnabled: true,
    }
    expect((await createKey({ ctx: world.as(user), input })).key.name).toBe('Mine')
  })

  it('is called Playground in the history, and its requests are the account’s own', async () => {
    const [user, stranger] = [await world.newUser(), await world.newUser()]
    const caller = await callerOf((await mintKey(user)).secret)
    await world.settle(user, { at: NOW, keyId: caller?.keyId ?? '' })
    const list = (as: SignedInUser) => listRequests({ ctx: world.as(as), input: { limit: 10 } })
    expect(requestPage.parse(await list(user)).rows).toMatchObject([{ keyName: 'Playground', keyId: caller?.keyId }])
    expect((await list(stranger)).rows).toEqual([])
  })

  it.each([
    ['groupId', { groupId: 'grp_none' }],
    ['groupId', {}],
    ['hours', { groupId: 'grp_main', hours: 9 }],
  ])('refuses a wrong %s: %j', async (field, body) => {
    const response = await post(await world.newUser(), body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_input', field } })
  })

  it('is for those who are signed in, from the console itself', async () => {
    expect((await post(undefined)).status).toBe(401)
    expect((await post(await world.newUser(), undefined, { origin: 'https://evil.example' })).status).toBe(403)
    expect(ORIGIN).toBe('http://localhost:3000')
  })

  it('stops an account that asks too often, and no other', async () => {
    const [user, other] = [await world.newUser(), await world.newUser()]
    const statuses: number[] = []
    for (let at = 0; at < 61; at++) statuses.push((await post(user)).status)
    expect(statuses.slice(0, 60).every((status) => status === 201)).toBe(true)
    expect(statuses[60]).toBe(429)
    expect((await post(other)).status).toBe(201)
  })
})

describe('a playground key', () => {
  it('cannot be made one that somebody keeps: nobody rotates it, moves its expiry or lifts what bounds it', async () => {
    const user = await world.newUser()
    const { secret } = await mintKey(user)
    const id = (await callerOf(secret))?.keyId ?? ''
    const ctx = world.as(user)
    await expect(rotateKey({ ctx, input: { id, overlap: '7d' } })).rejects.toMatchObject({ code: 'not_found' })
    const later = new Date(NOW.getTime() + 86_400_000 * 300).toISOString()
    await expect(updateKey({ ctx, input: { id, expiresAt: later } })).rejects.toMatchObject({ code: 'not_found' })
    const { rows } = await world.pool.query('select expires_at from api_key where id = $1', [id])
    expect(rows[0].expires_at).toEqual(new Date(NOW.getTime() + 2 * 3_600_000))
  })

  it('buys nothing for an account that is suspended, before or after it was made', async () => {
    const user = await world.newUser()
    const { secret } = await mintKey(user)
    await world.pool.query("update account set suspended_at = now(), suspended_reason = 'abuse' where id = $1", [user.accountId])
    expect(await callerOf(secret)).toMatchObject({ suspended: true })
    expect(await callerOf((await mintKey(user)).secret)).toMatchObject({ suspended: true })
  })
})

describe('the end of a playground key', () => {
  it('comes with signing out, in all windows of that user and of nobody else', async () => {
    const [user, other] = [await world.newUser(), await world.newUser()]
    const mine = [await mintKey(user), await mintKey(user, 'grp_other')]
    const others = await mintKey(other)
    const response = await world.call(route.DELETE, { method: 'DELETE', as: user })
    expect(await response.json()).toEqual({ revoked: 2 })
    for (const { secret } of mine) {
      const caller = await callerOf(secret)
      expect(caller).toMatchObject({ revoked: true })
      expect(await changesOf(caller?.keyId ?? '')).toBe(2)
    }
    expect(await callerOf(others.secret)).toMatchObject({ revoked: false })
    expect(await (await world.call(route.DELETE, { method: 'DELETE', as: user })).json()).toEqual({ revoked: 0 })
  })

  const sessionOf = async (user: SignedInUser) => {
    const visitor = { address: '203.0.113.8', browser: '', system: '' }
    return openSession(world.console.ports, user, visitor, 3_600_000)
  }
  const sessionEndings: [string, (user: SignedInUser, other: SessionUser) => Promise<unknown>][] = [
    [
      'a new password',
      (user) => changePassword({ ctx: world.as(user), input: { current: PASSWORD, password: 'another good one' } }),
    ],
    ['the end of a session', (user, other) => endSession({ ctx: world.as(user), input: { id: other.sessionId } })],
    ['the end of all other sessions', (user) => endOtherSessions({ ctx: world.as(user) })],
  ]
  it.each(sessionEndings)('comes with %s, and what begins after it makes none in a session that is gone', async (_, finish) => {
    const [user, other] = [await world.newUser(), await world.newUser()]
    const userSession = await sessionOf(user)
    const { secret } = await mintKey(userSession)
    const others = await mintKey(other)
    const { keyId } = (await callerOf(secret)) ?? {}
    await finish(user, userSession)
    expect(await callerOf(secret)).toMatchObject({ revoked: true })
    // Notified, because otherwise processes would go on with what they remember.
    expect(await changesOf(keyId ?? '')).toBe(2)
    expect(await callerOf(others.secret)).toMatchObject({ revoked: false })
    const lateMint = createPlaygroundKey({ ctx: { ...world.console.ports, user: userSession }, input: { groupId: 'grp_main' } })
    await expect(lateMint).rejects.toMatchObject({ code: 'signed_out' })
  })

  it('comes when the sessions of its user are revoked, while keys of their own stay', async () => {
    const user = await world.newUser()
    const { secret } = await mintKey(user)
    await world.pool.query('update app_user set session_epoch = session_epoch + 1 where id = $1', [user.userId])
    expect(await callerOf(secret)).toMatchObject({ revoked: true })
    await world.pool.query("update api_key set purpose = 'api' where account_id = $1", [user.accountId])
    expect(await callerOf(secret)).toMatchObject({ revoked: false })
  })
})
