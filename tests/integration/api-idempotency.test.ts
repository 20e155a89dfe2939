import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, expectError, headersOf, openApiWorld } from '../fakes/api-world.ts'
import { type Call, chatAnswer, holdAnswers, sendJson, sendStream, usageOf } from '../fakes/vendor.ts'
import { hangUp, respondError, respondThen } from '../fakes/vendor-faults.ts'
import { addGroup, addKey, revokeKey } from '../support/fixtures.ts'
import { startGateway } from '../support/gateway.ts'
import { type RawAnswer, RawConnection, requestBytes } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld({ LEASE_LIFE_MS: '2000' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

let keyCount = 0
const newKey = (): [string, string][] => {
  keyCount++
  return [['idempotency-key', `order-${keyCount}`]]
}

/** Answers every call differently, so that a second run cannot pass for a replay. */
function answerDifferently(): void {
  let runs = 0
  world.vendor.answer((call) => {
    runs++
    const pieces = ['run', ` ${runs}`]
    if (call.body.stream) sendStream(call, pieces, usageOf(20, 4))
    else sendJson(call, chatAnswer(pieces.join(''), usageOf(20, 4)))
  })
}

function expectReplay(replay: RawAnswer, first: RawAnswer): void {
  expect(replay.status).toBe(200)
  expect(replay.body.equals(first.body), replay.text).toBe(true)
  expect(replay.header('content-type')).toBe(first.header('content-type'))
  expect(replay.header('x-tollgate-replayed')).toBe(first.header('x-request-id'))
  expect(replay.header('x-tollgate-cost')).toBe('0')
  expect(replay.header('x-request-id')).toMatch(/^req_/)
  expect(replay.header('x-request-id')).not.toBe(first.header('x-request-id'))
}

describe('a repeat with the same key', () => {
  const bodyCases: [string, object][] = [
    ['whole', {}],
    ['streamed', { stream: true }],
    ['streamed, with its usage', { stream: true, stream_options: { include_usage: true } }],
  ]
  test.each(bodyCases)('gets the same bytes and costs nothing: %s', async (_, body) => {
    answerDifferently()
    const holder = await world.holder()
    const key = newKey()
    const calls = world.vendor.calls.length
    const first = await world.chat(holder.secret, body, key)
    expect(first.status).toBe(200)
    expect(first.header('x-tollgate-replayed')).toBeNull()
    for (let n = 0; n < 3; n++) expectReplay(await world.chat(holder.secret, body, key), first)
    expect(world.vendor.calls.length).toBe(calls + 1)
    expect((await world.record(holder.accountId)).charged).toBe(90_000n)
    await world.expectSettledBooks(holder, 1)
    // A replay works with an empty balance too.
    expectReplay(await world.chat(holder.secret, body, key), first)
  })

  test('and another body is a 400, and does not run', async () => {
    answerDifferently()
    const holder = await world.holder()
    const key = newKey()
    const first = await world.chat(holder.secret, {}, key)
    const calls = world.vendor.calls.length
    const mismatch = { condition: 'idempotency_mismatch', param: 'Idempotency-Key' } as const
    expectError(await world.chat(holder.secret, { temperature: 1 }, key), mismatch)
    expectError(await world.chat(holder.secret, { stream: true }, key), mismatch)
    expectError(await world.chat(holder.secret, { model: 'fake/spend' }, key), mismatch)
    const spacedBody = ` ${JSON.stringify(chatBody())}`
    expectError(await world.send({ headers: headersOf(holder.secret, key), body: spacedBody }), mismatch)
    expect(world.vendor.calls.length).toBe(calls)
    expectReplay(await world.chat(holder.secret, {}, key), first)
    await world.expectSettledBooks(holder, 5)
  })

  test('and another endpoint is a 400, and does not run', async () => {
    answerDifferently()
    const holder = await world.holder()
    const key = newKey()
    const ask = (path: string, body: object, headers: [string, string][]) =>
      world.send({ path, headers: headersOf(holder.secret, headers), body: JSON.stringify(body) })
    const chat = (headers: [string, string][]) => ask('/v1/chat/completions', chatBody(), headers)
    const respond = (headers: [string, string][]) =>
      ask('/v1/responses', { model: 'fake/chat', input: 'Hi', store: false }, headers)
    const first = await chat(key)
    expect(first.status, first.text).toBe(200)
    expectError(await respond(key), { condition: 'idempotency_mismatch', param: 'Idempotency-Key' })
    expect((await respond(newKey())).status).toBe(200)
    expectReplay(await chat(key), first)
    await world.expectSettledBooks(holder, 3)
  })

  test('but other capitals is another key', async () => {
    answerDifferently()
    const holder = await world.holder()
    await world.chat(holder.secret, {}, [['idempotency-key', 'abc']])
    const other = await world.chat(holder.secret, {}, [['Idempotency-Key', 'ABC']])
    expect(other.header('x-tollgate-replayed')).toBeNull()
    await world.expectSettledBooks(holder, 2)
  })

  test('after a day runs anew', async () => {
    answerDifferently()
    const holder = await world.holder()
    const key = newKey()
    const first = await world.chat(holder.secret, {}, key)
    await world.pool.query(`UPDATE idempotency SET created_at = now() - interval '23 hours 59 minutes' WHERE account_id = $1`, [
      holder.accountId,
    ])
    expectReplay(await world.chat(holder.secret, {}, key), first)
    await world.pool.query(`UPDATE idempotency SET created_at = now() - interval '24 hours 1 second' WHERE account_id = $1`, [
      holder.accountId,
    ])
    const retry = await world.chat(holder.secret, { temperature: 0 }, key)
    expect(retry.header('x-tollgate-replayed')).toBeNull()
    expect(retry.status).toBe(200)
    await world.expectSettledBooks(holder, 2)
  })
})

describe('while the first is running', () => {
  test.each([true, false])(
    'a repeat is a 409 that says when to come back, and then gets the answer (stream: %s)',
    async (stream) => {
      const holder = await world.holder()
      const key = newKey()
      const calls = world.vendor.calls.length
      const release = holdAnswers(world.vendor, (call) => {
        if (stream) sendStream(call, ['a', 'b'])
        else sendJson(call, chatAnswer('ab'))
      })
      const running = world.chat(holder.secret, { stream }, key)
      await expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(calls + 1)
      expectError(await world.chat(holder.secret, { stream }, key), { condition: 'idempotency_running' })
      expectError(await world.chat(holder.secret, { stream, seed: 1 }, key), {
        condition: 'idempotency_mismatch',
        param: 'Idempotency-Key',
      })
      release()
      const first = await running
      expectReplay(await world.chat(holder.secret, { stream }, key), first)
      expect(world.vendor.calls.length).toBe(calls + 1)
      expect((await world.records(holder.accountId, 3)).filter((row) => row.charged > 0n).length).toBe(1)
    },
  )

  test('of twenty at once one runs', async () => {
    const holder = await world.holder()
    const key = newKey()
    const calls = world.vendor.calls.length
    world.vendor.answer(async (call) => {
      await sleep(50)
      sendJson(call, chatAnswer('once'))
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.chat(holder.secret, {}, key)))
    expect(answers.filter((answer) => answer.status === 200).length).toBeGreaterThanOrEqual(1)
    expect(answers.every((answer) => answer.status === 200 || answer.status === 409)).toBe(true)
    expect(answers.filter((answer) => answer.status === 200 && answer.header('x-tollgate-replayed') === null).length).toBe(1)
    expect(world.vendor.calls.length).toBe(calls + 1)
    const rows = await world.records(holder.accountId, 1 + answers.filter((answer) => answer.status === 409).length)
    expect(rows.filter((row) => row.charged > 0n).length).toBe(1)
    await world.expectSettledBooks(holder, rows.length)
  })
})

describe('where the first was charged, and there is no answer to repeat, a repeat is told so and runs no more', () => {
  test('because it broke off', async () => {
    const holder = await world.holder()
    const key = newKey()
    world.vendor.answer(respondThen(['One', ' two'], hangUp))
    await world.chat(holder.secret, { stream: true }, key)
    const calls = world.vendor.calls.length
    for (let repeats = 0; repeats < 2; repeats++) {
      const retry = await world.chat(holder.secret, { stream: true }, key)
      expectError(retry, { condition: 'idempotency_spent', param: 'Idempotency-Key', message: /was cut off/ })
      expect(retry.header('x-tollgate-cost')).toBe('0')
    }
    expect(world.vendor.calls.length).toBe(calls)
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cut' })
    await world.expectSettledBooks(holder, 1)
  })

  test('because it is too long to be kept', async () => {
    const holder = await world.holder()
    const key = newKey()
    world.vendor.answer((call) =>
      sendStream(
        call,
        Array.from({ length: 90 }, () => 'x'.repeat(100_000)),
        usageOf(10, 90),
      ),
    )
    expect((await world.chat(holder.secret, { stream: true }, key)).status).toBe(200)
    const calls = world.vendor.calls.length
    const retry = await world.chat(holder.secret, { stream: true }, key)
    expectError(retry, { condition: 'idempotency_spent', param: 'Idempotency-Key', message: /too long/ })
    expect(world.vendor.calls.length).toBe(calls)
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished' })
    await world.expectSettledBooks(holder, 1)
  })

  test('but one that broke off at no charge runs again', async () => {
    const holder = await world.holder()
    const key = newKey()
    world.vendor.answer(hangUp)
    expectError(await world.chat(holder.secret, { stream: true }, key), { condition: 'vendor_failed' })
    world.vendor.answer((call) => sendStream(call, ['well']))
    expect((await world.chat(holder.secret, { stream: true }, key)).status).toBe(200)
    await world.expectSettledBooks(holder, 2)
  })
})

describe('a key belongs to its account', () => {
  test("another account's equal key is another request", async () => {
    answerDifferently()
    const [firstHolder, secondHolder] = [await world.holder(), await world.holder()]
    const key = newKey()
    const first = await world.chat(firstHolder.secret, {}, key)
    const second = await world.chat(secondHolder.secret, {}, key)
    expect(second.header('x-tollgate-replayed')).toBeNull()
    expect(first.text).toContain('run 1')
    expect(second.text).toContain('run 2')
    expectReplay(await world.chat(firstHolder.secret, {}, key), first)
    expectReplay(await world.chat(secondHolder.secret, {}, key), second)
    await world.expectSettledBooks(firstHolder, 1)
    await world.expectSettledBooks(secondHolder, 1)
  })

  test('and is answered only to a key that may ask for it now', async () => {
    answerDifferently()
    const holder = await world.holder()
    const key = newKey()
    const first = await world.chat(holder.secret, {}, key)
    const siblingKey = await addKey(world.pool, holder.accountId)
    expectReplay(await world.chat(siblingKey.secret, {}, key), first)
    const restrictedKey = await addKey(world.pool, holder.accountId, { modelAllow: ['fake/spend'] })
    expectError(await world.chat(restrictedKey.secret, {}, key), { condition: 'unknown_model', param: 'model' })
    const otherGroupKey = await addKey(world.pool, holder.accountId, { groupId: await addGroup(world.pool, 'empty') })
    await expect.poll(async () => (await world.chat(otherGroupKey.secret, {}, key)).status, { interval: 20 }).toBe(404)
    const ipRestrictedKey = await addKey(world.pool, holder.accountId, { addressAllow: ['10.0.0.1'] })
    expectError(await world.chat(ipRestrictedKey.secret, {}, key), { condition: 'invalid_key' })
    await revokeKey(world.pool, holder.keyId)
    await expect.poll(async () => (await world.chat(holder.secret, {}, key)).status, { timeout: 1000, interval: 20 }).toBe(401)
    expectReplay(await world.chat(siblingKey.secret, {}, key), first)
  })
})

describe('a request that came to nothing frees its key', () => {
  const failures: [string, (call: Call) => void | Promise<void>, object, number][] = [
    ['the vendor hung up', hangUp, {}, 500],
    ['the vendor was too busy', respondError(429, { message: 'x' }), {}, 429],
    ['the vendor refused it', respondError(400, { message: 'x' }), {}, 400],
    ['the vendor hung up on a stream', hangUp, { stream: true }, 500],
  ]
  test.each(failures)('because %s', async (_, handler, body, status) => {
    const holder = await world.holder()
    const key = newKey()
    world.vendor.answer(handler)
    const failed = await world.chat(holder.secret, body, key)
    expect(failed.status).toBe(status)
    expect(failed.text).not.toContain('[DONE]')
    answerDifferently()
    // At once: a client that has read an answer to its end is not told that it is in progress.
    const retry = await world.chat(holder.secret, body, key)
    expect(retry.status, retry.text).toBe(200)
    expect(retry.header('x-tollgate-replayed')).toBeNull()
    expect(retry.text).toMatch(/run/)
    expectReplay(await world.chat(holder.secret, body, key), retry)
  })

  test('because the balance did not suffice', async () => {
    answerDifferently()
    const holder = await world.holder({}, 1_000n)
    const key = newKey()
    expectError(await world.chat(holder.secret, {}, key), { condition: 'no_quota' })
    await world.pool.query('UPDATE purse SET credit = credit + 500000000 WHERE id = $1', [holder.accountId])
    const retry = await world.chat(holder.secret, {}, key)
    expect(retry.status).toBe(200)
    expectReplay(await world.chat(holder.secret, {}, key), retry)
  })

  test('because its process died: not before that is known, and then for the same body only', async () => {
    const holder = await world.holder()
    const [key, secondKey] = [newKey(), newKey()]
    const other = await startGateway({
      databaseUrl: world.databaseUrl,
      env: { TRUSTED_PROXIES: '127.0.0.1', LEASE_LIFE_MS: '2000' },
    })
    const calls = world.vendor.calls.length
    world.vendor.answer(() => undefined)
    for (const each of [key, secondKey]) {
      const connection = await RawConnection.open(other.url)
      connection.send(requestBytes({ headers: headersOf(holder.secret, each), body: JSON.stringify(chatBody()) }))
    }
    await expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(calls + 2)
    other.kill('SIGKILL')
    answerDifferently()
    let requestCount = 0
    const ask = (body: object = {}, idempotencyKey = key) => {
      requestCount++
      return world.chat(holder.secret, body, idempotencyKey)
    }
    expectError(await ask(), { condition: 'idempotency_running' })
    await expect.poll(async () => (await ask()).status, { timeout: 8000, interval: 100 }).toBe(200)
    const mismatch = { condition: 'idempotency_mismatch', param: 'Idempotency-Key' } as const
    expectError(await ask({ seed: 2 }), mismatch)
    expect(world.vendor.calls.length).toBe(calls + 3)
    // Nobody has taken this request over yet: a repeat of it may, a different request may not.
    expectError(await ask({ seed: 2 }, secondKey), mismatch)
    expect((await ask({}, secondKey)).status).toBe(200)
    expect(world.vendor.calls.length).toBe(calls + 4)
    await other.stop()
    // Each request that was answered is recorded; those whose process died are not.
    const rows = await world.records(holder.accountId, requestCount)
    expect(rows.filter((row) => row.charged > 0n).length).toBe(2)
    await world.expectSettledBooks(holder, requestCount)
  })
})
