import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, expectError, type Holder, headersOf, openApiWorld } from '../fakes/api-world.ts'
import { chatAnswer, holdAnswers, sendJson, usageOf } from '../fakes/vendor.ts'
import { addGroup, addKey, addModel } from '../support/fixtures.ts'
import type { RawAnswer } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld({ MAX_CONCURRENCY_PER_KEY: '2', MAX_CONCURRENCY_PER_ACCOUNT: '4' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** A request with input worth 1,000 nano-dollars and at most 100 output tokens costs about a million nano-dollars. */
const small = { max_tokens: 100 }
const answerWithUsage = (prompt: number, completion: number) =>
  world.vendor.answer((call) => sendJson(call, chatAnswer('x', usageOf(prompt, completion))))

async function purseOf(id: string): Promise<{ credit: bigint; spent: bigint }> {
  const { rows } = await world.pool.query<{ credit: string; spent: string }>('SELECT credit, spent FROM purse WHERE id = $1', [
    id,
  ])
  return { credit: BigInt(rows[0]?.credit ?? -1), spent: BigInt(rows[0]?.spent ?? -1) }
}

describe('insufficient_quota', () => {
  test('for an empty balance, and one that is too small for what the request could cost', async () => {
    answerWithUsage(10, 5)
    for (const balance of [0n, 1n, 500_000n]) {
      const holder = await world.holder({}, balance)
      expectError(await world.chat(holder.secret, small), { condition: 'no_quota', message: /balance does not cover/ })
      await world.expectSettledBooks(holder, 1)
    }
    // The same request runs if the balance covers it to the nano-dollar, and is refused with one less.
    const rich = await world.holder()
    await world.chat(rich.secret, small)
    const { hold } = await world.record(rich.accountId)
    expect((await world.chat((await world.holder({}, hold)).secret, small)).status).toBe(200)
    expect((await world.chat((await world.holder({}, hold - 1n)).secret, small)).status).toBe(429)
  })

  test.each([
    ['total', { limitTotalNano: 3_000_000n }, (keyId: string) => `${keyId}:total`],
    ['monthly', { limitMonthNano: 3_000_000n }, (keyId: string) => `${keyId}:${new Date().toISOString().slice(0, 7)}`],
  ])('for a %s spending limit of the key, though the account has money', async (_, limits, purse) => {
    answerWithUsage(10, 50)
    const holder = await world.holder(limits)
    const first = await world.chat(holder.secret, small)
    expect(first.status, first.text).toBe(200)
    expect(await purseOf(purse(holder.keyId))).toMatchObject({ spent: 525_000n })
    const second = await world.chat(holder.secret, small)
    expectError(second, { condition: 'no_quota', message: /spending limit of this key/ })
    // A request that fits into what is left runs, and so does another key of the account.
    expect((await world.chat(holder.secret, { max_tokens: 1 })).status).toBe(200)
    expect((await world.chat((await addKey(world.pool, holder.accountId)).secret, small)).status).toBe(200)
    await world.expectSettledBooks(holder, 4)
  })

  test('not for a request without a cap of its own that a limit of the key has room for, though its account could pay for far more', async () => {
    answerWithUsage(10, 5)
    const limit = 100_000_000n
    const holder = await world.holder({ limitTotalNano: limit })
    const answer = await world.chat(holder.secret)
    expect(answer.status, answer.text).toBe(200)
    const [{ hold } = { hold: 0n }] = await world.records(holder.accountId, 1)
    expect(hold).toBeLessThanOrEqual(limit)
    await world.expectSettledBooks(holder, 1)
  })

  test('not for one that others have left less than this process knew: it is content with that', async () => {
    answerWithUsage(10, 5)
    const holder = await world.holder({ limitTotalNano: 450_000_000n })
    expect((await world.chat(holder.secret, small)).status).toBe(200)
    const lowerLimit = 100_000_000n
    await world.pool.query('UPDATE api_key SET limit_total_nano = $2 WHERE id = $1', [holder.keyId, String(lowerLimit)])
    await world.pool.query('UPDATE purse SET credit = $2 WHERE id = $1', [`${holder.keyId}:total`, String(lowerLimit)])
    const answer = await world.chat(holder.secret)
    expect(answer.status, answer.text).toBe(200)
    expect((await world.records(holder.accountId, 2)).map(({ hold }) => hold <= lowerLimit)).toEqual([true, true])
    await world.expectSettledBooks(holder, 2)
  })

  test('not for a request without a cap where a video holds most of the money: it is content with the least', async () => {
    answerWithUsage(10, 5)
    const holder = await world.holder()
    const addHold = (change: bigint) =>
      world.pool.query('UPDATE purse SET leased = leased + $2 WHERE id = $1', [holder.accountId, String(change)])
    // Held as a task holds it: in the database, and in no process.
    await addHold(400_000_000n)
    const answer = await world.chat(holder.secret)
    await addHold(-400_000_000n)
    expect(answer.status, answer.text).toBe(200)
    await world.expectSettledBooks(holder, 1)
  })

  test('for a suspended account, which may still list models', async () => {
    const holder = await world.holder()
    await world.pool.query(`UPDATE account SET suspended_at = now(), suspended_reason = 'secret reason' WHERE id = $1`, [
      holder.accountId,
    ])
    const answer = await world.chat(holder.secret)
    expectError(answer, { condition: 'no_quota', message: /suspended/ })
    expect(answer.text).not.toContain('secret reason')
    expect((await world.send({ method: 'GET', path: '/v1/models', headers: headersOf(holder.secret) })).status).toBe(200)
    expect(await world.record(holder.accountId)).toMatchObject({ status: 429, charged: 0n })
  })
})

const limitHeader = (answer: RawAnswer, name: string): number => Number(answer.header(`x-ratelimit-${name}`))

describe('requests a minute', () => {
  test('are counted down on every answer, and then refused', async () => {
    answerWithUsage(10, 5)
    const holder = await world.holder({ rpm: 3 })
    for (const remainingRequests of [2, 1, 0]) {
      const answer = await world.chat(holder.secret)
      expect(answer.status).toBe(200)
      expect([limitHeader(answer, 'limit-requests'), limitHeader(answer, 'remaining-requests')]).toEqual([3, remainingRequests])
      expect(answer.header('x-ratelimit-reset-requests')).toMatch(/^(60s|5\d(\.\d{1,3})?s)$/)
    }
    const refused = await world.chat(holder.secret)
    expectError(refused, { condition: 'too_many_requests' })
    expect(Number(refused.header('retry-after'))).toBeGreaterThan(50)
    expect(Number(refused.header('retry-after'))).toBeLessThanOrEqual(60)
    expect(limitHeader(refused, 'remaining-requests')).toBe(0)
    expectError(await world.send({ method: 'GET', path: '/v1/models', headers: headersOf(holder.secret) }), {
      condition: 'too_many_requests',
    })
    // The lookup leaves no record, refused or not.
    await world.expectSettledBooks(holder, 4)
  })

  test("are the stricter of the key's and its group's, and each key has its own", async () => {
    answerWithUsage(10, 5)
    const groupId = await addGroup(world.pool, 'strict')
    await world.pool.query('UPDATE model_group SET rpm = 2 WHERE id = $1', [groupId])
    await addModel(world.pool, { id: 'fake/strict', baseUrl: world.vendor.url, groupId })
    const holder = await world.holder()
    const [looseKey, strictKey] = [
      await addKey(world.pool, holder.accountId, { groupId, rpm: 50 }),
      await addKey(world.pool, holder.accountId, { groupId, rpm: 1 }),
    ]
    const ask = (secret: string) => world.chat(secret, { model: 'fake/strict' })
    // Until the gateway has heard of the group and its model. With one key, what is asked too early would use up its limit.
    const askWithNewKey = async () => await ask((await addKey(world.pool, holder.accountId, { groupId })).secret)
    await expect.poll(async () => (await askWithNewKey()).status, { interval: 20 }).toBe(200)
    expect(limitHeader(await ask(looseKey.secret), 'limit-requests')).toBe(2)
    expect(limitHeader(await ask(strictKey.secret), 'limit-requests')).toBe(1)
    expectError(await ask(strictKey.secret), { condition: 'too_many_requests' })
  })
})

describe('tokens a minute', () => {
  const bodyOfSize = (bytes: number) =>
    JSON.stringify(chatBody({ pad: 'x'.repeat(bytes - JSON.stringify(chatBody({ pad: '' })).length) }))
  const ask = (holder: Holder, bytes: number) => world.send({ headers: headersOf(holder.secret), body: bodyOfSize(bytes) })

  test('are guessed from the body first, and then what was really used', async () => {
    answerWithUsage(300, 100)
    const holder = await world.holder({ tpm: 1000 })
    const first = await ask(holder, 400)
    expect([limitHeader(first, 'limit-tokens'), limitHeader(first, 'remaining-tokens')]).toEqual([1000, 900])
    const second = await ask(holder, 400)
    expect(limitHeader(second, 'remaining-tokens')).toBe(500)
    await world.expectSettledBooks(holder, 2)
  })

  test('are refused where they do not suffice, with the time until they do, and a smaller request still fits', async () => {
    answerWithUsage(400, 100)
    const holder = await world.holder({ tpm: 1000 })
    await ask(holder, 400)
    const refused = await ask(holder, 2800)
    expectError(refused, { condition: 'too_many_tokens' })
    expect(Number(refused.header('retry-after'))).toBeGreaterThan(50)
    expect(limitHeader(refused, 'limit-tokens')).toBe(1000)
    // A refused request has used nothing.
    expect(limitHeader(refused, 'remaining-tokens')).toBe(500)
    expect((await ask(holder, 1200)).status).toBe(200)
    await world.expectSettledBooks(holder, 3)
  })

  test('let a request pass that alone is over the limit, where nothing else was used', async () => {
    answerWithUsage(50, 10)
    const holder = await world.holder({ tpm: 100 })
    expect((await ask(holder, 4000)).status).toBe(200)
    expectError(await ask(holder, 4000), { condition: 'too_many_tokens' })
    await world.expectSettledBooks(holder, 2)
  })
})

describe('requests under way', () => {
  const expectCalls = (count: number) => expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(count)

  test('of one key are limited; a place is free again when one ends', async () => {
    const holder = await world.holder()
    const calls = world.vendor.calls.length
    const release = holdAnswers(world.vendor)
    const running = [world.chat(holder.secret), world.chat(holder.secret)]
    await expectCalls(calls + 2)
    expectError(await world.chat(holder.secret), { condition: 'too_many_requests', message: /2 requests in progress/ })
    const siblingAnswer = world.chat((await addKey(world.pool, holder.accountId)).secret)
    await expectCalls(calls + 3)
    release()
    for (const answer of await Promise.all([...running, siblingAnswer])) expect(answer.status).toBe(200)
    expect((await world.chat(holder.secret)).status).toBe(200)
    await world.expectSettledBooks(holder, 5)
  })

  test('of one account are limited, whatever its keys: another account goes on, and each end leaves a place free', async () => {
    const holder = await world.holder()
    const [second, third] = [await addKey(world.pool, holder.accountId), await addKey(world.pool, holder.accountId)]
    const calls = world.vendor.calls.length
    const release = holdAnswers(world.vendor)
    const running = [holder, holder, second, second].map(({ secret }) => world.chat(secret))
    await expectCalls(calls + 4)
    const refused = await world.chat(third.secret)
    expectError(refused, { condition: 'too_many_requests', message: /^This account has 4 requests in progress here/ })
    expect(refused.header('retry-after')).toBe('1')
    // A request refused by its key's limit takes nothing from the account's limit.
    const other = await world.holder()
    const others = [world.chat(other.secret), world.chat(other.secret)]
    await expectCalls(calls + 6)
    for (let n = 0; n < 3; n++)
      expectError(await world.chat(other.secret), { condition: 'too_many_requests', message: /^This key has 2/ })
    others.push(world.chat((await addKey(world.pool, other.accountId)).secret))
    await expectCalls(calls + 7)
    release()
    for (const answer of await Promise.all([...running, ...others])) expect(answer.status, answer.text).toBe(200)
    expect((await world.chat(third.secret)).status).toBe(200)
    await world.expectSettledBooks(holder, 6)
    await world.expectSettledBooks(other, 6)
  })

  test('of one key hold at most half of the balance while another key has some', async () => {
    const holder = await world.holder({}, 4_000_000n)
    const other = await addKey(world.pool, holder.accountId)
    const calls = world.vendor.calls.length
    const release = holdAnswers(world.vendor)
    const running = [world.chat(other.secret, { max_tokens: 10 }), world.chat(holder.secret, { max_tokens: 10 })]
    await expectCalls(calls + 2)
    expectError(await world.chat(holder.secret, { max_tokens: 100 }), {
      condition: 'too_many_requests',
      message: /half of the balance/,
    })
    release()
    for (const answer of await Promise.all(running)) expect(answer.status).toBe(200)
    expect((await world.chat(holder.secret, { max_tokens: 100 })).status).toBe(200)
    await world.expectSettledBooks(holder, 4)
  })

  test('that hold what another one needs make it wait, not its account holder pay', async () => {
    answerWithUsage(10, 5)
    const rich = await world.holder()
    await world.chat(rich.secret, small)
    const { hold } = await world.record(rich.accountId)
    const holder = await world.holder({}, hold + hold / 2n)
    const calls = world.vendor.calls.length
    const release = holdAnswers(world.vendor)
    const running = world.chat(holder.secret, small)
    await expectCalls(calls + 1)
    const refused = await world.chat(holder.secret, small)
    expectError(refused, { condition: 'too_many_requests', message: /Requests in progress hold/ })
    expect([refused.header('retry-after'), refused.header('x-should-retry')]).toEqual(['1', null])
    release()
    expect((await running).status).toBe(200)
    answerWithUsage(10, 5)
    expect((await world.chat(holder.secret, small)).status).toBe(200)
    await world.expectSettledBooks(holder, 3)
  })
})

describe('failures to authenticate from one address', () => {
  const sendInvalidKey = (address: string) =>
    world.send({
      headers: [
        ['authorization', `Bearer sk-tg-${'0'.repeat(46)}`],
        ['x-forwarded-for', address],
      ],
      body: '{}',
    })

  test('are a 429 after sixty in a minute, for no other address, and not for a key that is good', async () => {
    const address = '203.0.113.50'
    for (let n = 0; n < 60; n++) expect((await sendInvalidKey(address)).status).toBe(401)
    const refused = await sendInvalidKey(address)
    expectError(refused, { condition: 'too_many_requests', message: /invalid keys/ })
    expect(Number(refused.header('retry-after'))).toBeLessThanOrEqual(60)
    const holder = await world.holder()
    const sendFrom = (clientIp: string) =>
      world.send({
        headers: [
          ['authorization', `Bearer ${holder.secret}`],
          ['content-type', 'application/json'],
          ['x-forwarded-for', clientIp],
        ],
        body: JSON.stringify(chatBody()),
      })
    answerWithUsage(10, 5)
    // The gateway has not seen this key yet. It works all the same, and from elsewhere too.
    expect((await sendFrom(address)).status).toBe(200)
    expect((await sendFrom('203.0.113.51')).status).toBe(200)
    expect((await sendInvalidKey('203.0.113.51')).status).toBe(401)
    // Wrong keys of a blocked address are looked up a few times a second at most, and get the same answer.
    const others = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        world.send({
          headers: [
            ['authorization', `Bearer sk-tg-${String(index).padStart(46, '0')}`],
            ['x-forwarded-for', address],
          ],
          body: '{}',
        }),
      ),
    )
    for (const other of others) expectError(other, { condition: 'too_many_requests', message: /invalid keys/ })
  })

  test('do not count requests without any key', async () => {
    for (let n = 0; n < 70; n++)
      expect((await world.send({ headers: [['x-forwarded-for', '203.0.113.60']], body: '{}' })).status).toBe(401)
  })
})

describe('a minute', () => {
  const remaining = (answer: RawAnswer, what: 'requests' | 'tokens') => Number(answer.header(`x-ratelimit-remaining-${what}`))

  test('counts requests at fault like any other, and then refuses them too', async () => {
    const holder = await world.holder({ rpm: 3 })
    const sendInvalid = () => world.chat(holder.secret, { temperature: 9 })
    for (const remainingRequests of [2, 1, 0]) {
      const answer = await sendInvalid()
      expectError(answer, { condition: 'invalid_request', param: 'temperature' })
      expect(remaining(answer, 'requests')).toBe(remainingRequests)
    }
    expectError(await sendInvalid(), { condition: 'too_many_requests' })
    expectError(await world.chat(holder.secret), { condition: 'too_many_requests' })
    await world.expectSettledBooks(holder, 5)
  })

  test('has the tokens back that a repeat does not use', async () => {
    const holder = await world.holder({ tpm: 1000 })
    const key: [string, string][] = [['idempotency-key', 'tokens']]
    answerWithUsage(10, 5)
    const long = { messages: [{ role: 'user', content: 'word '.repeat(200) }] }
    expect((await world.chat(holder.secret, long, key)).status).toBe(200)
    for (let repeats = 0; repeats < 6; repeats++) {
      const replay = await world.chat(holder.secret, long, key)
      expect(replay.status, replay.text).toBe(200)
      expect(replay.header('x-tollgate-replayed')).not.toBeNull()
    }
    await world.expectSettledBooks(holder, 1)
  })
})
