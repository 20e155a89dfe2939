import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, expectError, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { type Call, chatAnswer, sendJson, sendStream, usageOf } from '../fakes/vendor.ts'
import { hangUp, neverRespond, respondError, respondThen } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'

type Handler = (call: Call) => void | Promise<void>

const FAILURES = 3
const COOL_MS = 1500
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld({
    BREAKER_FAILURES: String(FAILURES),
    BREAKER_COOL_MS: String(COOL_MS),
    BREAKER_COOL_MOST_MS: '60000',
    LOG_LEVEL: 'info',
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const respondOk: Handler = (call) =>
  call.body.stream ? sendStream(call, ['well'], usageOf(10, 5)) : sendJson(call, chatAnswer('well', usageOf(10, 5)))

let models = 0
let model = ''
beforeEach(async () => {
  model = `fake/one-${models++}`
  await addModel(world.pool, { id: model, baseUrl: world.vendor.url })
  await untilModelKnown(world, model)
  world.vendor.answer(respondOk)
})

/** Sends this many requests, one after the other. Returns the statuses. */
async function ask(times: number, handler: Handler, body: object = {}): Promise<number[]> {
  world.vendor.answer(handler)
  const { secret } = await world.holder()
  const statuses = []
  for (let time = 0; time < times; time++) statuses.push((await world.chat(secret, { model, ...body })).status)
  return statuses
}

/** Sends one request while the vendor is healthy. Returns whether the vendor was called. */
async function probeVendor(): Promise<boolean> {
  const callsBefore = world.vendor.calls.length
  const [status] = await ask(1, respondOk)
  expect(status).toBe(world.vendor.calls.length > callsBefore ? 200 : 503)
  return world.vendor.calls.length > callsBefore
}

describe('a breaker opens', () => {
  test.each<[string, Handler, number]>([
    ['by statuses', respondError(500, {}), 500],
    ['by credentials that are refused', respondError(401, {}), 503],
    ['by connections that break', hangUp, 500],
    ['by streams that break after their first words', respondThen(['One'], hangUp), 200],
  ])('%s', async (name, handler, status) => {
    const stream = name.includes('streams')
    expect(await ask(FAILURES, handler, { stream })).toEqual(Array(FAILURES).fill(status))
    const calls = world.vendor.calls.length
    const holder = await world.holder()
    const answer = await world.chat(holder.secret, { model, stream })
    expectError(answer, { condition: 'unavailable', message: /no deployment that can answer now/ })
    expect(answer.header('retry-after')).toMatch(/^[12]$/)
    expect(world.vendor.calls.length, 'the vendor is left alone').toBe(calls)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'refused', status: 503, charged: 0n, trace: [] })
    await world.expectSettledBooks(holder, 1)
  })

  test.each<[string, Handler, number, object?]>([
    ['requests that the vendor does not take', respondError(400, {}), 400],
    ['limits', respondError(429, {}), 429],
    ['good answers', respondOk, 200],
  ])('but not by %s', async (_, handler, status) => {
    expect(await ask(FAILURES * 3, handler)).toEqual(Array(FAILURES * 3).fill(status))
    expect(await probeVendor()).toBe(true)
  })

  test.each<[string, Handler]>([
    ['before the first word', neverRespond],
    ['in mid-stream', respondThen(['One'], neverRespond)],
  ])('nor by clients that leave %s', async (_, handler) => {
    for (let time = 0; time < FAILURES * 3; time++) await abandonStream(handler)
    expect(await probeVendor()).toBe(true)
  })
})

/** Requests a stream, and disconnects once the vendor has the request. */
async function abandonStream(handler: Handler): Promise<void> {
  const { secret, accountId } = await world.holder()
  world.vendor.answer(handler)
  const callsBefore = world.vendor.calls.length
  const connection = await RawConnection.open(world.url)
  connection.send(requestBytes({ headers: headersOf(secret), body: JSON.stringify(chatBody({ model, stream: true })) }))
  await expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(callsBefore + 1)
  if (handler !== neverRespond) await connection.readHead()
  connection.destroy()
  await world.vendor.calls.at(-1)?.disconnected
  expect((await world.record(accountId)).trace.map(({ result }) => result)).toEqual(['left'])
}

describe('an open breaker', () => {
  test('lets one call find out, and closes when it is answered', async () => {
    await ask(FAILURES, respondError(500, {}))
    expect(await probeVendor()).toBe(false)
    await sleep(COOL_MS)
    // Ten at once, while the first one is still in flight.
    const { secret } = await world.holder()
    const callsBefore = world.vendor.calls.length
    world.vendor.answer(async (call) => {
      await sleep(300)
      await respondOk(call)
    })
    const answers = await Promise.all(Array.from({ length: 10 }, () => world.chat(secret, { model })))
    expect(world.vendor.calls.length - callsBefore).toBe(1)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(503)])
    expect(answers.filter(({ status }) => status === 503).map((answer) => answer.header('retry-after'))).toEqual(
      Array(9).fill('1'),
    )
    expect(await probeVendor()).toBe(true)
  })

  test('closes with the first words of a stream, however long that takes', async () => {
    await ask(FAILURES, respondError(500, {}))
    await sleep(COOL_MS)
    const { secret } = await world.holder()
    world.vendor.answer(respondThen(['One'], neverRespond))
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ headers: headersOf(secret), body: JSON.stringify(chatBody({ model, stream: true })) }))
    expect((await connection.readHead()).status).toBe(200)
    expect(await probeVendor()).toBe(true)
    connection.destroy()
  })

  test('stays open for longer when the call fails', async () => {
    await ask(FAILURES, respondError(500, {}))
    await sleep(COOL_MS)
    expect(await ask(1, respondError(500, {}))).toEqual([500])
    await sleep(COOL_MS)
    expect(await probeVendor()).toBe(false)
    await sleep(COOL_MS)
    expect(await probeVendor()).toBe(true)
  })

  test('lets the next one find out when the client of the first one leaves', async () => {
    await ask(FAILURES, respondError(500, {}))
    await sleep(COOL_MS)
    await abandonStream(neverRespond)
    expect(await probeVendor()).toBe(true)
  })

  test('stays open when the catalog changes, and is shown with its deployment', async () => {
    await ask(FAILURES, respondError(500, {}))
    await addModel(world.pool, { id: `${model}-more`, baseUrl: world.vendor.url })
    await untilModelKnown(world, `${model}-more`)
    expect(await probeVendor()).toBe(false)
    const metrics = async () => await (await fetch(`${world.url}/metrics`)).text()
    const line = (value: string) => new RegExp(`^tollgate_breaker_state\\{.*model="${model}",.*\\} ${value}$`, 'm')
    expect(await metrics()).toMatch(line('2'))
    expect(world.gateway.log()).toContain('"breaker":"open"')
    await sleep(COOL_MS)
    expect(await probeVendor()).toBe(true)
    expect(await metrics()).toMatch(line('0'))
    await world.pool.query('DELETE FROM deployment WHERE model_id = $1', [model])
    await addModel(world.pool, { id: `${model}-last`, baseUrl: world.vendor.url })
    await untilModelKnown(world, `${model}-last`)
    expect(await metrics()).not.toMatch(line('.'))
  })
})

test('the sandbox fails as often as it is asked to', async () => {
  const statuses = await ask(FAILURES * 3, respondOk, { model: 'sandbox/error-500' })
  expect(statuses).toEqual(Array(FAILURES * 3).fill(500))
})
