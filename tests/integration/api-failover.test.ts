import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Attempt } from '#lib/domain/settlement'
import {
  type ApiWorld,
  chatBody,
  expectError,
  type Holder,
  headersOf,
  openApiWorld,
  UPSTREAM_MODEL,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import {
  type Call,
  chatAnswer,
  chatChunk,
  type FakeVendor,
  sendEvent,
  sendJson,
  sendStream,
  startFakeVendor,
  startStream,
  usageOf,
} from '../fakes/vendor.ts'
import {
  hangUp,
  neverRespond,
  respondBytes,
  respondError,
  respondRaw,
  respondText,
  respondThen,
  streamText,
} from '../fakes/vendor-faults.ts'
import { addDeployment, addModel } from '../support/fixtures.ts'
import { freePort } from '../support/gateway.ts'
import { eventsOf, type RawAnswer, RawConnection, requestBytes } from '../support/raw-client.ts'

type Handler = (call: Call) => void | Promise<void>

const REQUEST_TIMEOUT_MS = 4000
/** 10 input tokens and 5 output tokens. */
const COST = 75_000n
const upstream = { upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET }
const shortTimeouts = { headersTimeoutMs: 300, idleTimeoutMs: 300 }

let world: ApiWorld
let secondVendor: FakeVendor
let thirdVendor: FakeVendor

beforeAll(async () => {
  world = await openApiWorld({ REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS) })
  secondVendor = await startFakeVendor()
  thirdVendor = await startFakeVendor()
  const { pool, vendor } = world
  const unreachableUrl = `http://127.0.0.1:${await freePort()}/v1`
  await addModel(pool, { id: 'fake/pair', baseUrl: vendor.url, ...upstream, ...shortTimeouts })
  await addDeployment(pool, 'fake/pair', { baseUrl: secondVendor.url, upstreamModel: 'spare', priority: 1 })
  await addModel(pool, { id: 'fake/away', baseUrl: unreachableUrl, ...upstream })
  await addDeployment(pool, 'fake/away', { baseUrl: secondVendor.url, upstreamModel: 'spare', priority: 1 })
  await addModel(pool, { id: 'fake/thinks', baseUrl: vendor.url, capabilities: ['hidden-reasoning'], ...upstream })
  await addDeployment(pool, 'fake/thinks', { baseUrl: secondVendor.url, priority: 1 })
  // Both vendors may stay silent for as long as a request may take.
  const longTimeout = { headersTimeoutMs: 60_000 }
  await addModel(pool, { id: 'fake/patient', baseUrl: vendor.url, ...upstream, ...longTimeout })
  await addDeployment(pool, 'fake/patient', { baseUrl: secondVendor.url, priority: 1, ...longTimeout })
  await addModel(pool, { id: 'fake/many', baseUrl: vendor.url, ...upstream })
  for (let priority = 1; priority < 5; priority++)
    await addDeployment(pool, 'fake/many', { baseUrl: (priority % 2 ? secondVendor : thirdVendor).url, priority })
  await addModel(pool, { id: 'fake/nobody', baseUrl: vendor.url, ...upstream })
  await pool.query("UPDATE deployment SET enabled = false WHERE model_id = 'fake/nobody'")
  await addModel(pool, { id: 'fake/last', baseUrl: vendor.url, ...upstream })
  await untilModelKnown(world, 'fake/last')
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await secondVendor?.[Symbol.asyncDispose]()
  await thirdVendor?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  for (const vendor of [world.vendor, secondVendor, thirdVendor]) {
    vendor.answer(respondOk)
    vendor.calls.length = 0
  }
})

const respondOk: Handler = (call) =>
  call.body.stream ? sendStream(call, ['All', ' is', ' well'], usageOf(10, 5)) : sendJson(call, chatAnswer('All is well'))

let pairCount = 0

/** Makes a model like `fake/pair` whose deployments have not been called yet. */
async function addPairModel(): Promise<string> {
  const id = `fake/pair-${pairCount++}`
  await addModel(world.pool, { id, baseUrl: world.vendor.url, ...upstream, ...shortTimeouts })
  await addDeployment(world.pool, id, { baseUrl: secondVendor.url, upstreamModel: 'spare', priority: 1 })
  await untilModelKnown(world, id)
  // The gateway may have read the model before its second deployment was there.
  await sleep(100)
  return id
}

/** Throws unless the answer is good: exactly its words, and nothing of an earlier attempt. */
function expectSuccess(answer: RawAnswer, stream: boolean): void {
  expect(answer.status, answer.text).toBe(200)
  if (stream) {
    expect(eventsOf(answer.body).join('')).toMatch(/All.* is.* well.*\[DONE\]$/s)
    expect(answer.text).not.toContain('NOT THIS')
  } else expect(answer.json()).toMatchObject({ choices: [{ message: { content: 'All is well' } }] })
  world.expectNoLeaks(answer)
}

const summarize = (trace: Attempt[]) => trace.map(({ model, status, result }) => ({ model, status, result }))
const answeredAttempt = { model: 'spare', status: 200, result: 'answered' }
const STREAM_MODES = [false, true]

describe('a deployment that fails before anything was sent is followed by the next one', () => {
  const cases: [string, Handler, { status: number | null; result: string }, { model?: string; streams?: boolean[] }?][] = [
    ['refuses the connection', neverRespond, { status: null, result: 'unreachable' }, { model: 'fake/away' }],
    ['keeps silent', neverRespond, { status: null, result: 'timed_out' }],
    ['hangs up', hangUp, { status: null, result: 'broken' }],
    ['speaks no HTTP', respondRaw('SSH-2.0-OpenSSH_9.6\r\n'), { status: null, result: 'broken' }],
    ...[401, 402, 403, 404, 408, 409, 500, 502, 503, 504, 529, 204, 302].map(
      (status): [string, Handler, { status: number; result: string }] => [
        `says ${status}`,
        respondError(status, { message: 'No.' }),
        { status, result: 'failed' },
      ],
    ),
    [
      'says an error in its first event',
      respondBytes(streamText([{ error: { code: 1 } }])),
      brokenAttempt(),
      { streams: [true] },
    ],
    ['ends a stream at once', respondBytes(''), brokenAttempt(), { streams: [true] }],
    [
      'ends inside the first event',
      respondBytes('data: {"choices":[{"delta":{"content":"NOT THIS'),
      brokenAttempt(),
      { streams: [true] },
    ],
    ['says nothing after its headers', respondThen([], neverRespond), brokenAttempt(), { streams: [true] }],
    ['answers with HTML', respondText('<html>NOT THIS</html>', 'text/html'), brokenAttempt(), { streams: [false] }],
    [
      'breaks off a whole answer',
      respondRaw('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"choices":[]}'),
      brokenAttempt(),
      { streams: [false] },
    ],
    ['stops inside a whole answer', stallMidBody, brokenAttempt(), { streams: [false] }],
  ]
  test.each(cases)('because it %s', async (_, handler, first, { model = 'fake/pair', streams = STREAM_MODES } = {}) => {
    for (const stream of streams) {
      const holder = await world.holder()
      world.vendor.answer(handler)
      const callsBefore = secondVendor.calls.length
      expectSuccess(await world.chat(holder.secret, { model, stream }), stream)
      expect(secondVendor.calls.length - callsBefore).toBe(1)
      const record = await world.record(holder.accountId)
      expect(record).toMatchObject({ outcome: 'finished', status: 200, charged: COST, estimated: false, errorCode: null })
      expect(summarize(record.trace)).toEqual([{ model: UPSTREAM_MODEL, ...first }, answeredAttempt])
      // If the status does not tell what went wrong, the detail does.
      if (first.status === null || first.status === 200) expect(record.trace[0]?.detail).toMatch(/\w/)
      else expect(record.trace[0]?.detail).toBeNull()
      expect(record.trace[1]?.detail).toBeNull()
      expect(new Set(record.trace.map(({ deployment }) => deployment)).size).toBe(2)
      await world.expectSettledBooks(holder, 1)
    }
  })

  test.each(STREAM_MODES)(
    'because it is at its limit; for as long as it says the others go first (stream: %s)',
    async (stream) => {
      const model = await addPairModel()
      const holder = await world.holder()
      world.vendor.answer(respondError(429, {}, { 'retry-after': '1' }))
      const ask = async () => expectSuccess(await world.chat(holder.secret, { model, stream }), stream)
      await ask()
      await ask()
      await sleep(1000)
      world.vendor.answer(respondOk)
      await ask()
      const records = await world.records(holder.accountId, 3)
      const limitedAttempt = { model: UPSTREAM_MODEL, status: 429, result: 'limited' }
      expect(records.map(({ trace }) => summarize(trace))).toEqual([
        [limitedAttempt, answeredAttempt],
        [answeredAttempt],
        [{ ...answeredAttempt, model: UPSTREAM_MODEL }],
      ])
      expect(records.map(({ charged }) => charged)).toEqual([COST, COST, COST])
      await world.expectSettledBooks(holder, 3)
    },
  )

  test('and the time that both took is no time of ours', async () => {
    const holder = await world.holder()
    world.vendor.answer(async (call) => {
      await sleep(600)
      await respondError(500, {})(call)
    })
    secondVendor.answer(async (call) => {
      await sleep(800)
      await respondOk(call)
    })
    expectSuccess(await world.chat(holder.secret, { model: 'fake/pair' }), false)
    const [first, last] = (await world.record(holder.accountId)).trace
    expect(first?.tookMs).toBeGreaterThan(595)
    expect(last?.tookMs).toBeGreaterThan(795)
    const { rows } = await world.pool.query('SELECT own_ms, took_ms FROM usage_record WHERE account_id = $1', [holder.accountId])
    expect(rows[0].took_ms - rows[0].own_ms).toBeGreaterThan(1390)
    expect(rows[0].own_ms).toBeLessThan(550)
  })

  test.each(STREAM_MODES)(
    'even where the first one would keep silent for as long as a request may take (stream: %s)',
    async (stream) => {
      const holder = await world.holder()
      world.vendor.answer(neverRespond)
      const started = performance.now()
      expectSuccess(await world.chat(holder.secret, { model: 'fake/patient', stream }), stream)
      expect(performance.now() - started).toBeLessThan(REQUEST_TIMEOUT_MS * 0.75)
      const { trace } = await world.record(holder.accountId)
      expect(summarize(trace)[0]).toMatchObject({ status: null, result: 'timed_out' })
      await world.vendor.calls[0]?.disconnected
      await world.expectSettledBooks(holder, 1)
    },
  )

  test('and an answer that takes its time after its headers has all of the time of the request', async () => {
    const holder = await world.holder()
    world.vendor.answer(async (call) => {
      call.response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      await sleep(REQUEST_TIMEOUT_MS * 0.7)
      call.response.end(JSON.stringify(chatAnswer('All is well')))
    })
    expectSuccess(await world.chat(holder.secret, { model: 'fake/patient' }), false)
    expect((await world.record(holder.accountId)).trace).toHaveLength(1)
  })
})

function brokenAttempt() {
  return { status: 200, result: 'broken' }
}
function stallMidBody({ response }: Call): void {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":')
}

describe('no other deployment is called', () => {
  test.each([400, 413, 415, 422])('where the vendor does not take the request: %s', async (status) => {
    for (const stream of STREAM_MODES) {
      const holder = await world.holder()
      world.vendor.answer(respondError(status, { message: 'top_k is 5.', param: 'top_k' }))
      const answer = await world.chat(holder.secret, { model: 'fake/pair', stream })
      expectError(answer, { condition: 'invalid_request', param: 'top_k', message: /top_k is 5/ })
      const record = await world.record(holder.accountId)
      expect(record).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
      expect(summarize(record.trace)).toEqual([{ model: UPSTREAM_MODEL, status, result: 'refused' }])
      await world.expectSettledBooks(holder, 1)
    }
    expect(secondVendor.calls.length).toBe(0)
  })

  test('after the first word of a stream', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondThen(['One', ' two'], hangUp))
    const answer = await world.chat(holder.secret, { model: 'fake/pair', stream: true })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain(' two')
    expect(answer.text).not.toContain('[DONE]')
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'cut', estimated: true, output: 2n })
    expect(summarize(record.trace)).toEqual([{ model: UPSTREAM_MODEL, status: 200, result: 'broken' }])
    expect(secondVendor.calls.length).toBe(0)
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['a stream', { stream: true }, 'client_gone'],
    ['a whole answer', {}, 'vendor_failed'],
    ['a stream of a model that thinks unseen', { stream: true, model: 'fake/thinks' }, 'vendor_failed'],
  ])('for a client that left %s', async (_, body, outcome) => {
    const { holder, call } = await abandonRequest({ model: 'fake/pair', ...body })
    if (outcome === 'client_gone') await call.disconnected
    else hangUp(call)
    const record = await world.record(holder.accountId)
    expect(record.outcome).toBe(outcome)
    expect(record.trace.map(({ result }) => result)).toEqual([outcome === 'client_gone' ? 'left' : 'broken'])
    await sleep(50)
    expect(secondVendor.calls.length).toBe(0)
    await world.expectSettledBooks(holder, 1)
  })

  test('but for one that has an Idempotency-Key, whose repeat then has the answer', async () => {
    const key: [string, string][] = [['idempotency-key', 'left-behind']]
    const { holder, call } = await abandonRequest({ model: 'fake/pair' }, key)
    hangUp(call)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 200, charged: COST })
    expect(record.trace.map(({ result }) => result)).toEqual(['broken', 'answered'])
    const replay = await world.chat(holder.secret, { model: 'fake/pair' }, key)
    expect(replay.header('x-tollgate-replayed')).toBe(record.id)
    expectSuccess(replay, false)
    expect(secondVendor.calls.length).toBe(1)
    await world.expectSettledBooks(holder, 1)
  })

  test('for a client that leaves while the second one is asked: both end, and what went in is charged once', async () => {
    world.vendor.answer(respondError(500, {}))
    const holder = await world.holder()
    secondVendor.answer(neverRespond)
    const connection = await send(holder, { model: 'fake/pair', stream: true })
    await expect.poll(() => secondVendor.calls.length, { interval: 5 }).toBe(1)
    connection.destroy()
    await secondVendor.calls[0]?.disconnected
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 499, estimated: true, output: 0n })
    expect(record.trace.map(({ result }) => result)).toEqual(['failed', 'left'])
    expect(record.charged).toBe(record.input * 2500n)
    await world.expectSettledBooks(holder, 1)
  })
})

async function send(holder: Holder, body: object, headers: [string, string][] = []): Promise<RawConnection> {
  const connection = await RawConnection.open(world.url)
  connection.send(requestBytes({ headers: headersOf(holder.secret, headers), body: JSON.stringify(chatBody(body)) }))
  return connection
}

/** Sends a request to a first vendor that receives it and stays silent; then the client disconnects. */
async function abandonRequest(body: object, headers: [string, string][] = []): Promise<{ holder: Holder; call: Call }> {
  const holder = await world.holder()
  world.vendor.answer(neverRespond)
  const connection = await send(holder, body, headers)
  await expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(1)
  const [call] = world.vendor.calls
  if (!call) throw new Error('no call')
  connection.destroy()
  await sleep(50)
  return { holder, call }
}

describe('where every deployment fails', () => {
  const cases: [string, Handler, Handler, { condition: 'too_many_requests' | 'vendor_failed' | 'unavailable' }, string | null][] =
    [
      ['the last refusal is shown', respondError(401, {}), respondError(500, {}), { condition: 'vendor_failed' }, null],
      [
        'a 429 keeps its Retry-After',
        respondError(500, {}),
        respondError(429, {}, { 'retry-after': '7' }),
        { condition: 'too_many_requests' },
        '7',
      ],
      [
        'also where it came first',
        respondError(429, {}, { 'retry-after': '7' }),
        hangUp,
        { condition: 'too_many_requests' },
        '7',
      ],
      [
        'the shorter wait is shown',
        respondError(503, {}, { 'retry-after': '3' }),
        respondError(429, {}, { 'retry-after': '60' }),
        { condition: 'unavailable' },
        '3',
      ],
    ]
  test.each(cases)('%s', async (_, firstHandler, secondHandler, expected, retryAfter) => {
    for (const stream of STREAM_MODES) {
      const model = await addPairModel()
      const holder = await world.holder()
      world.vendor.answer(firstHandler)
      secondVendor.answer(secondHandler)
      const answer = await world.chat(holder.secret, { model, stream })
      expectError(answer, expected)
      expect(answer.header('retry-after')).toBe(retryAfter)
      world.expectNoLeaks(answer)
      const record = await world.record(holder.accountId)
      expect(record).toMatchObject({ outcome: 'vendor_failed', status: answer.status, charged: 0n })
      expect(record.trace).toHaveLength(2)
      await world.expectSettledBooks(holder, 1)
    }
  })

  test('no more are tried than HOPS says, and none twice', async () => {
    const holder = await world.holder()
    for (const vendor of [world.vendor, secondVendor, thirdVendor]) vendor.answer(respondError(500, {}))
    expectError(await world.chat(holder.secret, { model: 'fake/many' }), { condition: 'vendor_failed' })
    const { trace } = await world.record(holder.accountId)
    expect(new Set(trace.map(({ deployment }) => deployment)).size).toBe(3)
    expect(trace).toHaveLength(3)
    expect([world.vendor, secondVendor, thirdVendor].map(({ calls }) => calls.length)).toEqual([1, 1, 1])
    await world.expectSettledBooks(holder, 1)
  })

  test('no more are tried than the time of a request allows', async () => {
    const holder = await world.holder()
    world.vendor.answer(neverRespond)
    secondVendor.answer(neverRespond)
    const started = performance.now()
    expectError(await world.chat(holder.secret, { model: 'fake/patient' }), { condition: 'unavailable', message: /too long/ })
    expect(performance.now() - started).toBeLessThan(REQUEST_TIMEOUT_MS + 1000)
    expect((await world.record(holder.accountId)).trace.map(({ result }) => result)).toEqual(['timed_out', 'timed_out'])
    await world.expectSettledBooks(holder, 1)
  })
})

test('a model without a deployment is a 503, costs nothing and calls nobody', async () => {
  await world.expectRefused(
    (secret) => ({ headers: headersOf(secret), body: JSON.stringify(chatBody({ model: 'fake/nobody' })) }),
    { condition: 'unavailable', message: /no deployment/, holds: true },
  )
})

test('a stream whose first deployment opened a role and failed shows only the second one', async () => {
  const holder = await world.holder()
  world.vendor.answer((call) => {
    startStream(call)
    sendEvent(call, { ...chatChunk(null), choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] })
    sendEvent(call, { error: { message: 'NOT THIS', code: 502 } })
    call.response.end()
  })
  const answer = await world.chat(holder.secret, { model: 'fake/pair', stream: true })
  expectSuccess(answer, true)
  expect((await world.record(holder.accountId)).charged).toBe(COST)
  await world.expectSettledBooks(holder, 1)
})
