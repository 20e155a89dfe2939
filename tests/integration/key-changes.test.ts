import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyResult, type UpdateKeyInput } from '#lib/contracts/keys'
import { formatKey, KEY_RANDOM_BYTES, keyHint } from '#lib/domain/api-key'
import { keyPurses } from '#lib/domain/key-purses'
import { endOverlap } from '#lib/services/keys/end-overlap'
import { getKey } from '#lib/services/keys/get-key'
import { hmacKey } from '#lib/services/keys/key-hash'
import { MAX_FORMER, rotateKey } from '#lib/services/keys/rotate-key'
import { updateKey } from '#lib/services/keys/update-key'
import type { ConsolePorts, SignedInUser } from '#lib/services/ports'
import { deriveSecrets } from '#lib/setup/secrets'
import { createConsoleStore } from '#lib/store/console/console-store'
import { createPrisma, type Prisma } from '#lib/store/prisma'
import { type ApiWorld, type Holder, openApiWorld } from '../fakes/api-world.ts'
import { chatAnswer, sendJson, usageOf } from '../fakes/vendor.ts'
import { revokeKey, TEST_SECRET_KEY } from '../support/fixtures.ts'

// A gateway that serves, and the console's verbs on the same database: the gateway must notice what the console changes.
let world: ApiWorld
let prisma: Prisma
let ports: Omit<ConsolePorts, 'limits'>
const clock = { at: null as Date | null }

beforeAll(async () => {
  world = await openApiWorld()
  prisma = createPrisma(world.pool)
  const { pepper } = deriveSecrets(TEST_SECRET_KEY)
  const secrets = {
    create() {
      const secret = formatKey(randomBytes(KEY_RANDOM_BYTES))
      return { secret, hmac: hmacKey(pepper, secret), hint: keyHint(secret) }
    },
  }
  const store = createConsoleStore({ pool: world.pool, prisma })
  ports = { ...store, clock: { now: () => clock.at ?? new Date() }, keySecrets: secrets } as unknown as typeof ports
})
afterAll(async () => {
  await prisma.$disconnect()
  await world[Symbol.asyncDispose]()
})

/** The ports as an account holder gets them. */
const portsFor = (accountId: string) =>
  ({ ...ports, user: { accountId } as SignedInUser }) as ConsolePorts & { user: SignedInUser }
const rotate = ({ accountId, keyId }: Holder, overlap: 'now' | '1h' | '24h' | '7d' = '24h') =>
  rotateKey({ ctx: portsFor(accountId), input: { id: keyId, overlap } })
const change = ({ accountId, keyId }: Holder, changes: Omit<UpdateKeyInput, 'id'>) =>
  updateKey({ ctx: portsFor(accountId), input: { id: keyId, ...changes } })
const show = async ({ accountId, keyId }: Holder) =>
  keyResult.parse(await getKey({ ctx: portsFor(accountId), input: { id: keyId } })).key

const small = { max_tokens: 100 }
const used = (prompt: number, completion: number) =>
  world.vendor.answer((call) => sendJson(call, chatAnswer('x', usageOf(prompt, completion))))
const statusOf = async (secret: string, body: object = small) => (await world.chat(secret, body)).status
/** Everywhere within a second, and half a second more for a busy machine. */
const pollOptions = { timeout: 1500, interval: 50 }

describe('rotateKey', () => {
  it('makes a second secret of the same key, and the first goes on for its overlap', async () => {
    used(10, 5)
    const holder = await world.holder({ rpm: 3 })
    expect(await statusOf(holder.secret)).toBe(200)
    const { key, secret } = await rotate(holder)
    expect(key.id).toBe(holder.keyId)
    expect(key.former).toMatchObject([{ hint: 'test' }])
    expect(await statusOf(secret)).toBe(200)
    // All secrets of the key share its three requests a minute.
    expect(await statusOf(holder.secret)).toBe(200)
    expect(await statusOf(holder.secret)).toBe(429)
    expect(await statusOf(secret)).toBe(429)
    const records = await world.pool.query('select distinct key_id from usage_record where account_id = $1', [holder.accountId])
    expect(records.rows).toEqual([{ key_id: holder.keyId }])
  })

  it('carries the spending limit over, to the nano-dollar', async () => {
    used(10, 50)
    const holder = await world.holder({ limitTotalNano: 3_000_000n })
    expect(await statusOf(holder.secret)).toBe(200)
    const { secret, key } = await rotate(holder)
    expect(key).toMatchObject({ limitTotalNano: '3000000', spentNano: '525000', requests: 1 })
    // The rest of the limit does not cover a second request like the first, with either secret.
    expect(await statusOf(secret)).toBe(429)
    expect(await statusOf(holder.secret)).toBe(429)
    expect(await statusOf(secret, { max_tokens: 1 })).toBe(200)
    await world.expectSettledBooks({ ...holder, secret }, 4)
  })

  it('ends the secret before at once where no overlap is wanted, and every other one with it', async () => {
    used(10, 5)
    const holder = await world.holder()
    const second = await rotate(holder, '7d')
    expect(await statusOf(holder.secret)).toBe(200)
    expect(await statusOf(second.secret)).toBe(200)
    const third = await rotate(holder, 'now')
    expect(third.key.former).toEqual([])
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(401)
    await expect.poll(() => statusOf(second.secret), pollOptions).toBe(401)
    expect(await statusOf(third.secret)).toBe(200)
  })

  it('ends the secret before when its time is over, without anybody telling', async () => {
    used(10, 5)
    const holder = await world.holder()
    // Rotated an hour ago, less two seconds.
    clock.at = new Date(Date.now() - 3_600_000 + 2_000)
    const { secret } = await rotate(holder, '1h').finally(() => {
      clock.at = null
    })
    expect(await statusOf(holder.secret)).toBe(200)
    await expect.poll(() => statusOf(holder.secret), { timeout: 10_000, interval: 100 }).toBe(401)
    expect(await statusOf(secret)).toBe(200)
    expect((await show(holder)).former).toEqual([])
  })

  it('ends the secret before with its key, where that expires sooner than the overlap', async () => {
    used(10, 5)
    const holder = await world.holder({ expiresAt: new Date(Date.now() + 3_000) })
    const { secret } = await rotate(holder, '24h')
    expect([await statusOf(holder.secret), await statusOf(secret)]).toEqual([200, 200])
    await expect.poll(() => statusOf(holder.secret), { timeout: 10_000, interval: 100 }).toBe(401)
    expect(await statusOf(secret)).toBe(401)
  })

  it('never lets an earlier secret live longer than a later rotation says', async () => {
    const holder = await world.holder()
    await rotate(holder, '7d')
    const { key } = await rotate(holder, '1h')
    expect(key.former).toHaveLength(2)
    for (const { expiresAt } of key.former) expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 3_600_000)
  })

  it('keeps so many earlier secrets and no more, until they are ended', async () => {
    used(10, 5)
    const holder = await world.holder()
    for (let n = 0; n < MAX_FORMER; n++) await rotate(holder)
    await expect(rotate(holder)).rejects.toMatchObject({ code: 'conflict' })
    expect(await statusOf(holder.secret)).toBe(200)
    const { key } = await endOverlap({ ctx: portsFor(holder.accountId), input: { id: holder.keyId } })
    expect(key.former).toEqual([])
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(401)
    await expect(rotate(holder)).resolves.toMatchObject({ key: { id: holder.keyId } })
  })

  it('ends every secret with the key', async () => {
    used(10, 5)
    const holder = await world.holder()
    const { secret } = await rotate(holder)
    expect([await statusOf(holder.secret), await statusOf(secret)]).toEqual([200, 200])
    await revokeKey(world.pool, holder.keyId)
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(401)
    await expect.poll(() => statusOf(secret), pollOptions).toBe(401)
    await expect(rotate(holder)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('makes one of two rotations at once the last, and keeps both others good', async () => {
    used(10, 5)
    const holder = await world.holder()
    const both = await Promise.all([rotate(holder), rotate(holder)])
    for (const { secret } of both) expect(await statusOf(secret)).toBe(200)
    expect((await show(holder)).former).toHaveLength(2)
  })

  it("leaves another account's key alone, and an expired one", async () => {
    const [holder, stranger] = [await world.holder(), await world.holder()]
    const theirs = { ...holder, accountId: stranger.accountId }
    for (const attempt of [
      () => rotate(theirs),
      () => change(theirs, { name: 'mine now' }),
      () => show(theirs),
      () => endOverlap({ ctx: portsFor(stranger.accountId), input: { id: holder.keyId } }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
    expect(await show(holder)).toMatchObject({ name: holder.keyId, hint: 'test', former: [] })
    const expired = await world.holder({ expiresAt: new Date(Date.now() - 1000) })
    await expect(rotate(expired)).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('updateKey', () => {
  it('changes what is named and nothing else', async () => {
    const holder = await world.holder({ rpm: 7, addressAllow: ['203.0.113.0/24'] })
    const { key } = await change(holder, { name: 'Renamed', historyEnabled: false, addressAllow: ['198.51.100.7'] })
    expect(key).toMatchObject({ name: 'Renamed', historyEnabled: false, addressAllow: ['198.51.100.7'], rpm: 7 })
    expect((await change(holder, { rpm: null })).key).toMatchObject({ name: 'Renamed', rpm: null })
  })

  it.each([
    ['modelAllow', { modelAllow: ['no/such-model'] }],
    ['addressAllow', { addressAllow: ['example.com'] }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00.000Z' }],
  ])('refuses a wrong %s', async (field, changes) => {
    const holder = await world.holder()
    await expect(change(holder, changes)).rejects.toMatchObject({ code: 'invalid_input', field })
  })

  it('changes nothing of a revoked key', async () => {
    const holder = await world.holder()
    await revokeKey(world.pool, holder.keyId)
    await expect(change(holder, { name: 'x' })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('is in force at the gateway within a second', async () => {
    used(10, 5)
    const holder = await world.holder()
    expect(await statusOf(holder.secret)).toBe(200)
    await change(holder, { modelAllow: ['fake/spend'] })
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(404)
    await change(holder, { modelAllow: [] })
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(200)
    await change(holder, { expiresAt: new Date(Date.now() + 300).toISOString() })
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(401)
    await change(holder, { expiresAt: null })
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(200)
  })

  it.each([
    ['the next month', '2026-12-31T23:59:59Z', '2027-01', '2026-12'],
    ['the month before', '2027-01-01T00:00:01Z', '2026-12', '2027-01'],
  ])(
    'holds at the turn of a month for %s too, whose purse is made by a request that knew the limit as it was',
    async (_, at, month, other) => {
      const holder = await world.holder({ limitMonthNano: 1_000n })
      const { accountId, keyId } = holder
      const first = new Date(`${month}-01T00:00:00Z`)
      await world.pool.query(
        `insert into usage_hour (account_id, hour, key_id, model_id, requests, errors, input_units, cached_units, output_units, charged_nano,
         shortfall_nano, vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
       select $1, hour, $2, 'x', 1, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0
         from unnest(array[$3::timestamptz, $3::timestamptz - interval '1 hour', $3::timestamptz + interval '31 days']) hour`,
        [accountId, keyId, first],
      )
      clock.at = new Date(at)
      await change(holder, { limitMonthNano: '100' })
      clock.at = null
      await world.pool.query("insert into process (id, beat_at, started_at, pid, host) values ($1, now(), now(), 1, 'x')", [
        month,
      ])
      await world.pool.query('select lease_grow($1, $2, $3, $4, 1000, $5, 1, 1, 1, null)', [
        ...[month, `${keyId}:${month}`, accountId, keyId, first],
      ])
      const { rows } = await world.pool.query('select credit, spent from purse where id = $1', [`${keyId}:${month}`])
      expect(rows).toEqual([{ credit: '100', spent: '7' }])
      // Each month counts what was spent in it, even if a process whose clock is ahead has charged in the next month.
      const readSpent = (id: string) => world.pool.query('select spent from purse where id = $1', [`${keyId}:${id}`])
      expect((await readSpent(other)).rows).toEqual([{ spent: '7' }])
      await world.pool.query('select release_process($1)', [month])
    },
  )

  it('makes no purse of another month where none is near', async () => {
    const holder = await world.holder({ limitMonthNano: 1_000n })
    clock.at = new Date('2027-01-15T12:00:00Z')
    await change(holder, { limitMonthNano: '100' })
    clock.at = null
    const { rows } = await world.pool.query('select id from purse where key_id = $1', [holder.keyId])
    expect(rows).toEqual([{ id: `${holder.keyId}:2027-01` }])
  })

  it('lets a limit that is set later count what was spent before', async () => {
    used(10, 50)
    const holder = await world.holder()
    expect(await statusOf(holder.secret)).toBe(200)
    await change(holder, { limitTotalNano: '3000000' })
    // 525,000 nano are spent: a second request like it no longer fits, a smaller one does.
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(429)
    expect(await statusOf(holder.secret, { max_tokens: 1 })).toBe(200)
    await change(holder, { limitTotalNano: '9000000' })
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(200)
  })

  it.each(['limitTotalNano', 'limitMonthNano'] as const)(
    'lowers %s at once, though a process has leased of it',
    async (limit) => {
      used(10, 50)
      const holder = await world.holder({ [limit]: 400_000_000n })
      expect(await statusOf(holder.secret)).toBe(200)
      await change(holder, { [limit]: '600000' })
      await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(429)
      // What was leased is not lost: once the limit is removed, all of it is available again.
      await change(holder, { [limit]: null })
      await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(200)
      await change(holder, { [limit]: '400000000' })
      await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(200)
      const { rows } = await world.pool.query<{ credit: string; spent: string }>(
        "select credit, spent from purse where key_id = $1 and kind = 'key' and id = any ($2)",
        [holder.keyId, Object.values(keyPurses(holder.keyId, new Date()))],
      )
      const spent = await world.pool.query('select sum(charged_nano) as sum from usage_record where key_id = $1', [holder.keyId])
      expect(rows).toEqual([{ credit: '400000000', spent: spent.rows[0].sum }])
    },
  )

  it.each(['limitTotalNano', 'limitMonthNano'] as const)('lowers %s for what a request in flight held', async (limit) => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    world.vendor.answer(async (call) => {
      await finished
      sendJson(call, chatAnswer('x', usageOf(10, 50)))
    })
    const holder = await world.holder({ [limit]: 400_000_000n })
    const calls = world.vendor.posts.length
    // A large hold, of which the request uses little.
    const running = statusOf(holder.secret, { max_tokens: 15_000 })
    await expect.poll(() => world.vendor.posts.length, pollOptions).toBe(calls + 1)
    await change(holder, { [limit]: '500000' })
    await expect.poll(() => statusOf(holder.secret), pollOptions).toBe(429)
    finish()
    expect(await running).toBe(200)
    used(10, 50)
    // 525,000 nano are spent, so nothing fits, although most of what was held is free again.
    expect(await statusOf(holder.secret, { max_tokens: 1 })).toBe(429)
  })
})
