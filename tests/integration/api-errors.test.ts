import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONDITION_TABLE, type Condition } from '#lib/domain/errors'
import { type ApiWorld, chatBody, expectError, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { chatAnswer, holdAnswers, sendJson, usageOf } from '../fakes/vendor.ts'
import { hangUp, respondThen } from '../fakes/vendor-faults.ts'
import { startVideoVendor } from '../fakes/video-vendor.ts'
import { addFile, signedUrl } from '../support/files.ts'
import { addModel, setSettings } from '../support/fixtures.ts'
import { startGateway } from '../support/gateway.ts'
import { type RawAnswer, RawConnection, requestBytes, sendRaw } from '../support/raw-client.ts'
import { addVideoModel, videoClient } from '../support/videos.ts'

let world: ApiWorld
/** Uploads that stall. They are started before everything else because they take a while to fail. */
let stalled: { name: string; accountId: string; answer: Promise<RawAnswer> }[] = []

beforeAll(async () => {
  world = await openApiWorld()
  await addModel(world.pool, { id: 'fake/unpriced', baseUrl: world.vendor.url, units: { input: '1' } })
  await addModel(world.pool, { id: 'fake/none', baseUrl: world.vendor.url })
  await world.pool.query(`UPDATE deployment SET enabled = false WHERE model_id = 'fake/none'`)
  await addModel(world.pool, { id: 'fake/small', baseUrl: world.vendor.url, contextWindow: 100, maxOutput: 50 })
  await untilModelKnown(world, 'fake/small')
  stalled = await Promise.all([
    startStalledUpload('with a length', ['content-length', '500'], '{"model":'),
    startStalledUpload('with a great length', ['content-length', '5000000'], '{"model":'),
    startStalledUpload('in chunks', ['transfer-encoding', 'chunked'], '9\r\n{"model":\r\n'),
  ])
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function startStalledUpload(name: string, framing: [string, string], start: string) {
  const { secret, accountId } = await world.holder()
  const connection = await RawConnection.open(world.url)
  connection.send(requestBytes({ headers: [...headersOf(secret), framing] }))
  connection.send(start)
  return { name, accountId, answer: connection.readAnswer() }
}

const FILE = 'file_01k0abcdefghjkmnpqrstvwxyz'

/** One test for each row of the table. The type reports a missing row. */
const CONDITION_CASES: Record<Condition, () => Promise<void>> = {
  async invalid_request() {
    await world.expectRefused((secret) => ({ headers: headersOf(secret), body: JSON.stringify(chatBody({ temperature: 3 })) }), {
      condition: 'invalid_request',
      param: 'temperature',
    })
  },
  async context_exceeded() {
    const messages = [{ role: 'user', content: 'word '.repeat(300) }]
    await world.expectRefused(
      (secret) => ({ headers: headersOf(secret), body: JSON.stringify(chatBody({ model: 'fake/small', messages })) }),
      { condition: 'context_exceeded', param: 'messages' },
    )
  },
  async idempotency_mismatch() {
    const holder = await world.holder()
    const key: [string, string][] = [['idempotency-key', 'k']]
    world.vendor.answer((call) => sendJson(call, chatAnswer('x')))
    await world.chat(holder.secret, {}, key)
    const answer = await world.chat(holder.secret, { seed: 1 }, key)
    expectError(answer, { condition: 'idempotency_mismatch', param: 'Idempotency-Key', message: /new key/ })
    await world.expectSettledBooks(holder, 2)
  },
  async unknown_previous() {
    const previous_response_id = `resp_${'0'.repeat(26)}`
    const body = JSON.stringify({ model: 'fake/chat', input: 'Go on.', previous_response_id })
    await world.expectRefused((secret) => ({ path: '/v1/responses', headers: headersOf(secret), body }), {
      condition: 'unknown_previous',
      param: 'previous_response_id',
      message: /never stored.*whole conversation/,
    })
  },
  async unknown_response() {
    const { secret } = await world.holder()
    const path = `/v1/responses/resp_${'0'.repeat(26)}`
    for (const method of ['GET', 'DELETE']) {
      const answer = await world.send({ method, path, headers: headersOf(secret) })
      expectError(answer, { condition: 'unknown_response', param: 'response_id', message: /never stored/ })
    }
  },
  async invalid_key() {
    const answer = await world.chat(`sk-tg-${'0'.repeat(46)}`)
    expectError(answer, { condition: 'invalid_key', message: /Bearer sk-tg-\.\.\./ })
    expect(answer.header('x-ratelimit-limit-requests')).toBeNull()
  },
  async wrong_signature() {
    const path = `/files/2026112019/${FILE}.png?expires=4000000000&signature=${'x'.repeat(43)}`
    expectError(await world.send({ method: 'GET', path }), { condition: 'wrong_signature', message: /signature/ })
  },
  async expired_file() {
    const { path } = signedUrl(world.url, `2026112019/${FILE}.png`, Date.now() - 1000)
    expectError(await world.send({ method: 'GET', path }), { condition: 'expired_file', message: /expired/ })
  },
  async unknown_file() {
    const { path } = signedUrl(world.url, `2026112019/${FILE}.png`)
    expectError(await world.send({ method: 'GET', path }), { condition: 'unknown_file', message: /no longer stored/ })
  },
  async wrong_range() {
    const { path } = await addFile(world.gateway, Buffer.from('0123456789'))
    const answer = await world.send({ method: 'GET', path, headers: [['range', 'bytes=10-']] })
    expectError(answer, { condition: 'wrong_range', message: /10 bytes/ })
    expect(answer.header('content-range')).toBe('bytes */10')
  },
  async unknown_path() {
    expectError(await world.send({ path: '/v1/files' }), { condition: 'unknown_path', message: /\/v1\/files/ })
  },
  async unknown_model() {
    const body = JSON.stringify(chatBody({ model: 'no/such' }))
    await world.expectRefused((secret) => ({ headers: headersOf(secret), body }), {
      condition: 'unknown_model',
      param: 'model',
      message: /"no\/such".*GET \/v1\/models/,
    })
  },
  async unknown_task() {
    const { secret } = await world.holder()
    const path = '/v1/videos/generations/task_01k0abcdefghjkmnpqrstvwxyz'
    const answer = await world.send({ method: 'GET', path, headers: headersOf(secret) })
    expectError(answer, { condition: 'unknown_task', message: /24 hours/ })
  },
  async task_completed() {
    await using videos = await startVideoVendor()
    await addVideoModel(world.pool, 'fake/video', videos.url)
    await untilModelKnown(world, 'fake/video')
    const { secret } = await world.holder()
    const client = videoClient(world.url, secret, 'fake/video')
    const { id } = await client.create()
    await client.pollUntil(id, ['completed'])
    const answer = await world.send({ path: `/v1/videos/generations/${id}/cancel`, headers: headersOf(secret) })
    expectError(answer, { condition: 'task_completed', message: /finished/ })
  },
  async wrong_method() {
    const answer = await world.send({ method: 'PUT' })
    expectError(answer, { condition: 'wrong_method' })
    expect(answer.header('allow')).toBe('POST')
  },
  async upload_too_slow() {
    for (const { name, accountId, answer } of stalled) {
      expectError(await answer, { condition: 'upload_too_slow' })
      expect(await world.record(accountId), name).toMatchObject({ status: 408, outcome: 'refused', charged: 0n })
    }
  },
  async idempotency_running() {
    const holder = await world.holder()
    const key: [string, string][] = [['idempotency-key', 'k']]
    const release = holdAnswers(world.vendor)
    const calls = world.vendor.calls.length
    const first = world.chat(holder.secret, {}, key)
    await expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(calls + 1)
    expectError(await world.chat(holder.secret, {}, key), { condition: 'idempotency_running' })
    release()
    expect((await first).status).toBe(200)
    await world.expectSettledBooks(holder, 2)
  },
  async idempotency_spent() {
    const holder = await world.holder()
    const key: [string, string][] = [['idempotency-key', 'spent']]
    world.vendor.answer(respondThen(['One', ' two'], hangUp))
    await world.chat(holder.secret, { stream: true }, key)
    const retry = await world.chat(holder.secret, { stream: true }, key)
    expectError(retry, { condition: 'idempotency_spent', param: 'Idempotency-Key', message: /was charged/ })
    await world.expectSettledBooks(holder, 1)
  },
  async too_large() {
    await world.expectRefused(
      (secret) => ({ headers: headersOf(secret, [['content-length', '99999999']]), body: 'x', noLength: true }),
      { condition: 'too_large' },
    )
  },
  async wrong_content() {
    await world.expectRefused((secret) => ({ headers: headersOf(secret, [['content-encoding', 'gzip']]), body: 'x' }), {
      condition: 'wrong_content',
    })
  },
  async no_quota() {
    const holder = await world.holder({}, 0n)
    const answer = await world.chat(holder.secret)
    expectError(answer, { condition: 'no_quota', message: /[Tt]op up/ })
    expect(answer.header('x-ratelimit-limit-requests')).not.toBeNull()
    expect(await world.record(holder.accountId)).toMatchObject({ status: 429, outcome: 'refused', charged: 0n, hold: 0n })
  },
  async too_many_requests() {
    const holder = await world.holder({ rpm: 1 })
    world.vendor.answer((call) => sendJson(call, chatAnswer('x')))
    expect((await world.chat(holder.secret)).status).toBe(200)
    expectError(await world.chat(holder.secret), { condition: 'too_many_requests', message: /1 request per minute/ })
    await world.expectSettledBooks(holder, 2)
  },
  async too_many_tokens() {
    const holder = await world.holder({ tpm: 100 })
    world.vendor.answer((call) => sendJson(call, chatAnswer('x', usageOf(90, 20))))
    expect((await world.chat(holder.secret)).status).toBe(200)
    expectError(await world.chat(holder.secret), { condition: 'too_many_tokens', message: /100 tokens per minute/ })
    await world.expectSettledBooks(holder, 2)
  },
  async internal() {
    const body = JSON.stringify(chatBody({ model: 'fake/unpriced' }))
    await world.expectRefused((secret) => ({ headers: headersOf(secret), body }), {
      condition: 'internal',
      message: /^The gateway failed\. Nothing was charged\./,
    })
    expect(world.gateway.log()).toContain('an unexpected error')
  },
  async vendor_failed() {
    const holder = await world.holder()
    world.vendor.answer(hangUp)
    expectError(await world.chat(holder.secret), { condition: 'vendor_failed' })
    await world.expectSettledBooks(holder, 1)
  },
  async maintenance() {
    const holder = await world.holder()
    world.vendor.answer((call) => sendJson(call, chatAnswer('x')))
    const status = async () => (await world.chat(holder.secret)).status
    await setSettings(world.pool, { maintenance: true })
    await expect.poll(status, { timeout: 5000 }).toBe(503)
    const refused = await world.chat(holder.secret)
    expectError(refused, { condition: 'maintenance', message: /closed for maintenance/ })
    expect(refused.header('retry-after')).toBe('30')
    await setSettings(world.pool, { maintenance: undefined })
    await expect.poll(status, { timeout: 5000 }).toBe(200)
    const records = await world.records(holder.accountId, 1)
    expect(records.every((record) => record.status === 200)).toBe(true)
  },
  async overloaded() {
    await using gateway = await startGateway({ databaseUrl: world.databaseUrl, env: { MAX_CONCURRENCY: '1' } })
    const holder = await world.holder()
    const release = holdAnswers(world.vendor)
    const calls = world.vendor.calls.length
    const ask = () => sendRaw(gateway.url, { headers: headersOf(holder.secret), body: JSON.stringify(chatBody()) })
    const first = ask()
    await expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(calls + 1)
    const refused = await ask()
    expectError(refused, { condition: 'overloaded', message: /as many requests as it can/ })
    expect(refused.header('retry-after')).toBe('1')
    release()
    expect((await first).status).toBe(200)
    expect((await ask()).status).toBe(200)
    // A refused request leaves no record.
    await world.expectSettledBooks(holder, 2)
  },
  async unavailable() {
    const body = JSON.stringify(chatBody({ model: 'fake/none' }))
    const answer = await world.expectRefused((secret) => ({ headers: headersOf(secret), body }), {
      condition: 'unavailable',
      message: /no deployment/,
      holds: true,
    })
    expect(answer.header('retry-after')).toBe('30')
  },
}

describe('each row of the table of conditions happens as it says', () => {
  const slowCondition: Condition = 'upload_too_slow'
  const names = (Object.keys(CONDITION_TABLE) as Condition[]).filter((name) => name !== slowCondition)
  test.each([...names, slowCondition])('%s', (name) => CONDITION_CASES[name]())
})

test('an error is the same for a client that wanted a stream', async () => {
  const holder = await world.holder({}, 0n)
  const answer = await world.chat(holder.secret, { stream: true })
  expectError(answer, { condition: 'no_quota' })
  expectError(await world.chat(holder.secret, { stream: true, temperature: 3 }), {
    condition: 'invalid_request',
    param: 'temperature',
  })
})
