import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CreateKeyInput, createdKey, createKeyInput, groupList, keyList, keyQuery } from '#lib/contracts/keys'
import { isKeyFormat } from '#lib/domain/api-key'
import { createKey, MAX_KEYS } from '#lib/services/keys/create-key'
import { hmacKey } from '#lib/services/keys/key-hash'
import { listGroups } from '#lib/services/keys/list-groups'
import { listKeys } from '#lib/services/keys/list-keys'
import { revokeKey } from '#lib/services/keys/revoke-key'
import { rotateKey } from '#lib/services/keys/rotate-key'
import type { SignedInUser } from '#lib/services/ports'
import { findCaller } from '#lib/store/key-store'
import { type ConsoleWorld, NOW, openConsoleWorld, PEPPER } from './console-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())

const input = (overrides: Partial<CreateKeyInput> = {}) =>
  createKeyInput.parse({ name: 'Mine', groupId: 'grp_main', ...overrides })
const create = (user: SignedInUser, overrides?: Partial<CreateKeyInput>) =>
  createKey({ ctx: world.as(user), input: input(overrides) })
const pageOf = async (user: SignedInUser, query: object = {}) =>
  keyList.parse(await listKeys({ ctx: world.as(user), input: keyQuery.parse(query) }))
const rowsOf = async (user: SignedInUser, query: object = {}) => (await pageOf(user, query)).rows
const changesOf = async (keyId: string) =>
  (await world.pool.query("select 1 from change where topic = 'key' and ref = $1", [keyId])).rowCount

/** Runs something and returns the notifications about keys during that time. */
async function notifiedBy(work: () => Promise<unknown>): Promise<string[]> {
  const client = new pg.Client({ connectionString: world.url })
  const notifications: string[] = []
  client.on('notification', ({ payload }) => notifications.push(payload ?? ''))
  await client.connect()
  await client.query('listen tollgate_change')
  await work()
  // The answer to a query on the same connection comes after everything that was notified before it.
  await client.query('select 1')
  await client.end()
  return notifications
}

describe('listGroups', () => {
  it('lists the default group first, with the models that are switched on', async () => {
    const { rows } = groupList.parse(await listGroups({ ctx: world.as(await world.newUser()) }))
    expect(rows.map(({ id, isDefault, models }) => ({ id, isDefault, models }))).toEqual([
      { id: 'grp_main', isDefault: true, models: ['large', 'small'] },
      { id: 'grp_other', isDefault: false, models: ['large'] },
    ])
  })
})

describe('createKey', () => {
  it('makes a key that the gateway finds by its secret, and keeps no secret', async () => {
    const user = await world.newUser()
    const { key, secret } = createdKey.parse(await create(user))
    expect(isKeyFormat(secret)).toBe(true)
    expect(key).toMatchObject({ name: 'Mine', groupName: 'main', state: 'active', spentNano: '0', createdAt: NOW.toISOString() })
    expect(key.hint).toBe(`sk-tg-…${secret.slice(-4)}`)
    expect(await findCaller(world.pool, hmacKey(PEPPER, secret))).toMatchObject({
      keyId: key.id,
      accountId: user.accountId,
      revoked: false,
    })
    const stored = await world.pool.query('select row_to_json(k)::text as text from api_key k where id = $1', [key.id])
    expect(stored.rows[0].text).not.toContain(secret)
  })

  it('keeps all that was chosen', async () => {
    const user = await world.newUser()
    const chosen = {
      expiresAt: '2027-01-01T00:00:00.000Z',
      limitTotalNano: '9000000000',
      limitMonthNano: '1000000000',
      modelAllow: ['small', 'small'],
      addressAllow: ['203.0.113.9/24', '2001:DB8::1', '::ffff:203.0.113.9'],
      rpm: 10,
      tpm: 1000,
      historyEnabled: false,
    }
    const { key } = await create(user, chosen)
    const expected = {
      ...chosen,
      modelAllow: ['small'],
      addressAllow: ['203.0.113.0/24', '2001:db8::1', '203.0.113.9'],
    }
    expect(key).toMatchObject(expected)
    expect(await rowsOf(user)).toMatchObject([expected])
  })

  it.each([
    ['groupId', { groupId: 'grp_none' }],
    ['modelAllow', { groupId: 'grp_other', modelAllow: ['small'] }],
    ['modelAllow', { modelAllow: ['hidden'] }],
    ['addressAllow', { addressAllow: ['203.0.113.0/24', 'example.com'] }],
    ['expiresAt', { expiresAt: NOW.toISOString() }],
  ])('refuses a wrong %s: %j', async (field, overrides) => {
    const user = await world.newUser()
    await expect(create(user, overrides)).rejects.toMatchObject({ code: 'invalid_input', field })
    expect(await rowsOf(user)).toEqual([])
  })

  it('tells every process, in the table and at once', async () => {
    const user = await world.newUser()
    let id = ''
    const notifications = await notifiedBy(async () => {
      id = (await create(user)).key.id
    })
    expect(notifications).toEqual([`key:${id}`])
    expect(await changesOf(id)).toBe(1)
  })

  it('stops at as many keys as a list can hold, not counting revoked ones', async () => {
    const user = await world.newUser()
    await world.pool.query(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint)
       select 'key_many_' || n, $1, 'grp_main', 'n', ('many' || n)::bytea, 'h' from generate_series(1, $2) n`,
      [user.accountId, MAX_KEYS],
    )
    await expect(create(user)).rejects.toMatchObject({ code: 'conflict' })
    await revokeKey({ ctx: world.as(user), input: { id: 'key_many_1' } })
    await expect(create(user)).resolves.toBeDefined()
  })

  it('makes no more than that when many come at once', async () => {
    const user = await world.newUser()
    await world.pool.query(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint)
       select 'key_once_' || n, $1, 'grp_main', 'n', ('once' || n)::bytea, 'h' from generate_series(1, $2) n`,
      [user.accountId, MAX_KEYS - 3],
    )
    const outcomes = await Promise.allSettled(Array.from({ length: 9 }, () => create(user)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    const { rows } = await world.pool.query('select count(*)::int as keys from api_key where account_id = $1', [user.accountId])
    expect(rows).toEqual([{ keys: MAX_KEYS }])
  })
})

describe('revokeKey', () => {
  it('shows the key as revoked and tells every process once', async () => {
    const user = await world.newUser()
    const { key, secret } = await create(user)
    const revoke = () => revokeKey({ ctx: world.as(user), input: { id: key.id } })
    expect(await notifiedBy(revoke)).toEqual([`key:${key.id}`])
    expect(await notifiedBy(revoke)).toEqual([])
    expect(await changesOf(key.id)).toBe(2)
    expect(await rowsOf(user)).toMatchObject([{ id: key.id, state: 'revoked' }])
    expect(await findCaller(world.pool, hmacKey(PEPPER, secret))).toMatchObject({ revoked: true })
  })

  it('keeps the time of the first revocation', async () => {
    const user = await world.newUser()
    const { key } = await create(user)
    await revokeKey({ ctx: world.as(user), input: { id: key.id } })
    world.clock.at = new Date(NOW.getTime() + 60_000)
    await revokeKey({ ctx: world.as(user), input: { id: key.id } })
    world.clock.at = NOW
    const { rows } = await world.pool.query('select revoked_at from api_key where id = $1', [key.id])
    expect(rows[0].revoked_at).toEqual(NOW)
  })

  it("does not find another account's key, and leaves it alone", async () => {
    const [owner, other] = [await world.newUser(), await world.newUser()]
    const { key } = await create(owner)
    const refused = revokeKey({ ctx: world.as(other), input: { id: key.id } })
    await expect(refused).rejects.toMatchObject({ code: 'not_found' })
    expect(await rowsOf(owner)).toMatchObject([{ state: 'active' }])
    expect(await changesOf(key.id)).toBe(1)
  })
})

describe('listKeys', () => {
  it('lists only the account, keys in use first and the newest of them first', async () => {
    const [user, other] = [await world.newUser(), await world.newUser()]
    await create(other, { name: 'not mine' })
    const createdIds: string[] = []
    for (const [minute, name] of ['first', 'second', 'third'].entries()) {
      world.clock.at = new Date(NOW.getTime() + minute * 60_000)
      createdIds.push((await create(user, { name })).key.id)
    }
    world.clock.at = NOW
    await revokeKey({ ctx: world.as(user), input: { id: createdIds[2] ?? '' } })
    expect((await rowsOf(user)).map(({ name }) => name)).toEqual(['second', 'first', 'third'])
  })

  it('is read page by page, those that are revoked after those in use, and no key twice or never', async () => {
    const user = await world.newUser()
    const createdIds: string[] = []
    // Some have the same time: the id decides which is later.
    for (const minute of [0, 1, 1, 2, 3, 3, 4]) {
      world.clock.at = new Date(NOW.getTime() + minute * 60_000)
      createdIds.push((await create(user)).key.id)
    }
    for (const [minute, at] of [5, 1, 2].entries()) {
      world.clock.at = new Date(NOW.getTime() + (10 + Math.min(minute, 1)) * 60_000)
      await revokeKey({ ctx: world.as(user), input: { id: createdIds[at] ?? '' } })
    }
    world.clock.at = NOW
    const allIds = (await rowsOf(user)).map(({ id }) => id)
    expect([...allIds].sort()).toEqual([...createdIds].sort())
    for (const limit of [1, 2, 3, 7]) {
      const readIds: string[] = []
      let before: string | null = ''
      while (before !== null) {
        const { rows, next }: Awaited<ReturnType<typeof pageOf>> = await pageOf(user, {
          limit,
          ...(before === '' ? {} : { before }),
        })
        readIds.push(...rows.map(({ id }) => id))
        before = next
      }
      expect(readIds, `pages of ${limit}`).toEqual(allIds)
    }
  })

  it('finds keys by a part of their name, by how a good secret of theirs ends, and by their id', async () => {
    const [user, other] = [await world.newUser(), await world.newUser()]
    const { key } = await create(user, { name: 'Web shop 100%' })
    await create(user, { name: 'Crawler' })
    await create(other, { name: 'Web shop' })
    const searchNames = async (search: string) => (await rowsOf(user, { search })).map(({ name }) => name)
    const end = key.hint.slice(-4)
    for (const text of ['shop', ' WEB ', '100%', end, end.toLowerCase(), key.hint, key.id])
      expect(await searchNames(text), text).toEqual(['Web shop 100%'])
    for (const text of ['%', '_', '\\']) expect(await searchNames(text), text).toEqual(text === '%' ? ['Web shop 100%'] : [])
    expect(await searchNames('')).toHaveLength(2)
    const { key: rotated } = await rotateKey({ ctx: world.as(user), input: { id: key.id, overlap: '1h' } })
    expect(rotated.hint).not.toBe(key.hint)
    expect(await searchNames(key.hint)).toEqual(['Web shop 100%'])
    world.clock.at = new Date(NOW.getTime() + 3_600_001)
    expect(await searchNames(key.hint)).toEqual([])
    world.clock.at = NOW
  })

  it('shows those of one state, and of one group', async () => {
    const user = await world.newUser()
    await create(user, { name: 'lasting', groupId: 'grp_other' })
    await create(user, { name: 'short', expiresAt: '2026-11-20T16:00:00.000Z' })
    const { key } = await create(user, { name: 'ended', expiresAt: '2026-11-20T16:00:00.000Z' })
    await revokeKey({ ctx: world.as(user), input: { id: key.id } })
    const listNames = async (query: object) => (await rowsOf(user, query)).map(({ name }) => name)
    expect(new Set(await listNames({ state: 'active' }))).toEqual(new Set(['short', 'lasting']))
    world.clock.at = new Date('2026-11-20T16:00:00.000Z')
    expect(await listNames({ state: 'active' })).toEqual(['lasting'])
    expect(await listNames({ state: 'expired' })).toEqual(['short'])
    expect(await listNames({ state: 'revoked' })).toEqual(['ended'])
    expect(await listNames({ group: 'grp_other' })).toEqual(['lasting'])
    expect(await listNames({ group: 'grp_main', state: 'revoked', search: 'end' })).toEqual(['ended'])
    expect(await listNames({ group: 'grp_none' })).toEqual([])
    world.clock.at = NOW
  })

  it('shows a key past its expiry as expired', async () => {
    const user = await world.newUser()
    await create(user, { expiresAt: '2026-11-20T16:00:00.000Z' })
    expect(await rowsOf(user)).toMatchObject([{ state: 'active' }])
    world.clock.at = new Date('2026-11-20T16:00:00.000Z')
    expect(await rowsOf(user)).toMatchObject([{ state: 'expired' }])
    world.clock.at = NOW
  })

  it('sums what each key spent, in all and in this month in UTC', async () => {
    const user = await world.newUser()
    await world.pool.query('update purse set credit = 1000000 where id = $1', [user.accountId])
    const keyId = (await create(user)).key.id
    await create(user, { name: 'unused' })
    await world.settle(user, { keyId, at: new Date('2026-10-31T23:59:59.999Z'), total: 100n })
    await world.settle(user, { keyId, at: new Date('2026-11-01T00:00:00.000Z'), total: 20n })
    await world.settle(user, { keyId, at: new Date('2026-11-20T15:00:00.000Z'), total: 3n, modelId: 'large' })
    const rows = new Map((await rowsOf(user)).map((row) => [row.name, row]))
    expect(rows.get('Mine')).toMatchObject({ spentNano: '123', spentMonthNano: '23', requests: 3 })
    expect(rows.get('unused')).toMatchObject({ spentNano: '0', spentMonthNano: '0', requests: 0 })
  })
})
