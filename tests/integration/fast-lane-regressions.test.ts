import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, expectError, headersOf, openApiWorld } from '../fakes/api-world.ts'
import { chatChunk, sendEvent, startStream } from '../fakes/vendor.ts'
import { neverRespond, respondThen } from '../fakes/vendor-faults.ts'
import { RawConnection, type RawRequest, requestBytes } from '../support/raw-client.ts'

const READER_TIMEOUT_MS = 1500
const MAX_BODY_BYTES = 1024 * 1024
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld({
    READER_TIMEOUT_MS: String(READER_TIMEOUT_MS),
    MAX_BODY_BYTES: String(MAX_BODY_BYTES),
    MAX_CONCURRENCY_PER_KEY: '2',
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())
afterEach(() => expect(world.gateway.log()).not.toMatch(/uncaught error|unhandled/i))

const body = JSON.stringify(chatBody())
const large = JSON.stringify(chatBody({ messages: [{ role: 'user', content: 'x'.repeat(MAX_BODY_BYTES * 2) }] }))

describe('a connection serves its next request after', () => {
  const gzip: [string, string][] = [['content-encoding', 'gzip']]
  const cases: [string, RawRequest, number][] = [
    ['a body of the wrong kind', { body, headers: gzip }, 415],
    ['a body in chunks that is no JSON', { body: '{"model"', chunkBytes: 3 }, 400],
    ['a short body in chunks that nobody reads', { path: '/v1/none', body, chunkBytes: 30 }, 404],
  ]
  test.each(cases)('%s', async (_, request, status) => {
    const holder = await world.holder()
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ ...request, headers: headersOf(holder.secret, request.headers ?? []) }))
    expect((await connection.readAnswer()).status).toBe(status)
    await sleep(900)
    connection.send(requestBytes({ headers: headersOf(holder.secret), body }))
    expect((await connection.readAnswer()).status).toBe(200)
    connection.destroy()
  })
})

describe('a response that does not wait for the rest of', () => {
  const wrongKey = headersOf('sk-tg-wrong')
  const cases: [string, RawRequest, number][] = [
    ['a body in chunks that is too large', { body: large, chunkBytes: 65_536 }, 413],
    ['a body with a length that is too large', { body: large }, 413],
    ['a long body with a wrong key', { body: large, headers: wrongKey }, 401],
    ['a body in chunks with a wrong key', { body: large, chunkBytes: 65_536, headers: wrongKey }, 401],
  ]
  // Java's client sends its next request behind what it has sent of the body otherwise, and waits for a response forever.
  test.each(cases)('%s says that its connection ends, and ends it', async (_, request, status) => {
    const holder = await world.holder()
    const bytes = requestBytes({ headers: headersOf(holder.secret), ...request })
    const connection = await RawConnection.open(world.url)
    connection.send(bytes.subarray(0, bytes.length - 200_000))
    const answer = await connection.readAnswer()
    expect([answer.status, answer.header('connection'), answer.error().type]).toEqual([status, 'close', 'invalid_request_error'])
    await connection.readUntilClosed()
  })
})

describe('an address as a whole', () => {
  test.each(['http://[/v1/none', 'http://a:99999999/v1/none', 'http:///v1/none', '//v1/none'])('%s', async (path) => {
    expectError(await world.send({ method: 'GET', path }), { condition: 'unknown_path' })
  })
})

test('a client that leaves before its key is found has its place back at once', async () => {
  const holder = await world.holder()
  for (let n = 0; n < 2; n++) {
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ headers: headersOf(holder.secret), body }))
    connection.socket.resetAndDestroy()
  }
  for (let n = 0; n < 2; n++) {
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ headers: headersOf(holder.secret), body }).subarray(0, -5))
    connection.socket.end()
    await sleep(5)
    connection.destroy()
  }
  await sleep(500)
  const answer = await world.chat(holder.secret)
  expect(answer.status, answer.text).toBe(200)
})

test('a stream that was asked for behind another one ends with its connection', async () => {
  const holder = await world.holder()
  world.vendor.answer(respondThen(['One'], neverRespond))
  const before = world.vendor.calls.length
  const connection = await RawConnection.open(world.url)
  const streamRequest = requestBytes({ headers: headersOf(holder.secret), body: JSON.stringify(chatBody({ stream: true })) })
  connection.send(Buffer.concat([streamRequest, streamRequest]))
  await expect.poll(() => world.vendor.calls.length).toBe(before + 2)
  await sleep(400)
  connection.destroy()
  const started = performance.now()
  await Promise.all(world.vendor.calls.slice(before).map((call) => call.disconnected))
  expect(performance.now() - started).toBeLessThan(700)
  expect((await world.records(holder.accountId, 2)).map((row) => row.outcome)).toEqual(['client_gone', 'client_gone'])
  await world.expectSettledBooks(holder, 2)
})

test('a reader that takes nothing of a whole answer is hung up on', async () => {
  const holder = await world.holder()
  const text = 'x'.repeat(20_000_000)
  world.vendor.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'x',
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      }),
    )
  })
  const connection = await RawConnection.open(world.url)
  connection.send(requestBytes({ headers: headersOf(holder.secret), body }))
  expect((await world.record(holder.accountId)).outcome).toBe('finished')
  await sleep(READER_TIMEOUT_MS * 3 + 1000)
  expect((await connection.readUntilClosed()).length).toBeLessThan(text.length)
})

test('the end of a stream too', async () => {
  const holder = await world.holder()
  world.vendor.answer((call) => {
    startStream(call)
    for (let n = 0; n < 3; n++) sendEvent(call, chatChunk('word '.repeat(1_000_000)))
    sendEvent(call, chatChunk(null, 'stop'))
    sendEvent(call, '[DONE]')
    call.response.end()
  })
  const connection = await RawConnection.open(world.url)
  connection.send(requestBytes({ headers: headersOf(holder.secret), body: JSON.stringify(chatBody({ stream: true })) }))
  await sleep(READER_TIMEOUT_MS * 3 + 1000)
  expect((await connection.readUntilClosed()).toString()).not.toContain('[DONE]')
})
