import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, headersOf, untilModelKnown } from '../fakes/api-world.ts'
import {
  COST,
  createResponsesClient,
  eventsOf,
  message,
  openResponsesWorld,
  reasoning,
  resource,
  sendNative,
} from '../fakes/responses-vendor.ts'
import { chatAnswer, sendEvent, sendJson, startStream } from '../fakes/vendor.ts'
import { addModel, TEST_UNITS } from '../support/fixtures.ts'
import { expectCompleteStream, type Json } from '../support/open-responses.ts'
import { loadOpenAiDocument } from '../support/openai-document.ts'

/** Of one search, in nano-dollars. */
const PRICE = 10_000_000n
const TOOL = { type: 'web_search', search_context_size: 'low' }
const search = (id: string, action: Json = { type: 'search', query: 'gates' }): Json => ({
  id,
  type: 'web_search_call',
  status: 'completed',
  action,
})
const FOUND = [
  reasoning,
  search('ws_1'),
  search('ws_2', { type: 'open_page', url: 'https://example.com' }),
  search('ws_3'),
  message,
]

let world: ApiWorld
const { post } = createResponsesClient(() => world)
const ask = (more: Json = {}): Json => ({
  model: 'fake/search',
  tools: [TOOL],
  max_tool_calls: 5,
  max_output_tokens: 1000,
  ...more,
})

beforeAll(async () => {
  world = await openResponsesWorld()
  const { pool, vendor } = world
  const upstream = { baseUrl: vendor.url, kind: 'openai', upstreamModel: 'upstream-model', secret: 'vendor-credential-Zq81xPv0' }
  const chatVendor = { ...upstream, kind: 'openai-compatible', units: { ...TEST_UNITS, web_search: String(PRICE * 1_000_000n) } }
  await addModel(pool, { id: 'fake/priced-chat', ...chatVendor })
  await addModel(pool, { id: 'fake/priced-later', ...upstream })
  // The price of today; the vendor's rates are those of before.
  await pool.query(
    `INSERT INTO price (id, model_id, starts_at, units, vendor_units) VALUES ('prc_later', $1, '2021-01-01', $2, $3)`,
    ['fake/priced-later', { ...TEST_UNITS, web_search: String(PRICE * 1_000_000n) }, TEST_UNITS],
  )
  // Once the last model is known, so is the price before it.
  await addModel(pool, { id: 'fake/search', units: { ...TEST_UNITS, web_search: String(PRICE * 1_000_000n) }, ...upstream })
  await untilModelKnown(world, 'fake/search')
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => {
  world.vendor.calls.length = 0
})

async function costOf(accountId: string) {
  const { rows } = await world.pool.query<{ lines: Record<string, string>[]; vendorCost: string }>(
    `SELECT receipt -> 'lines' AS lines, vendor_cost_nano::text AS "vendorCost" FROM usage_record WHERE account_id = $1`,
    [accountId],
  )
  return rows[0]
}

describe('a search of the web', () => {
  test.each([false, true])('is made by the vendor and billed by its price (stream: %s)', async (stream) => {
    world.vendor.answer((call) => sendNative(call, FOUND))
    const holder = await world.holder()
    const answer = await post(holder.secret, ask({ stream, include: ['web_search_call.action.sources'] }))
    expect(answer.status, answer.text).toBe(200)
    const response = stream ? expectCompleteStream(answer.body.toString()) : answer.json()
    expect(response).toMatchObject({
      max_tool_calls: 5,
      tools: [TOOL],
      output: [{}, { ...search('ws_1'), id: expect.stringMatching(/^ws_[0-9a-z]{26}_1$/) }, {}, {}, { type: 'message' }],
      usage: { input_tokens: 100, cost: Number(COST + 2n * PRICE) / 1e9 },
    })
    expect(world.vendor.calls[0]?.body).toMatchObject({
      tools: [TOOL],
      max_tool_calls: 5,
      include: ['web_search_call.action.sources'],
    })
    const [record] = await world.records(holder.accountId, 1)
    expect(record).toMatchObject({ charged: COST + 2n * PRICE, finishReason: 'stop' })
    // Five searches, and what they find.
    expect(record?.hold).toBeGreaterThanOrEqual(5n * PRICE + 5n * 32_768n * 2500n)
    expect((await costOf(holder.accountId))?.lines).toContainEqual(expect.objectContaining({ unit: 'web_search', count: '2' }))
    await world.expectSettledBooks(holder, 1)
  })

  test('can be continued, also by a model that has none', async () => {
    world.vendor.answer((call) => sendNative(call, FOUND))
    const { secret } = await world.holder({}, 5_000_000_000n)
    const first = (await post(secret, ask())).json()
    const continued = await post(secret, ask({ previous_response_id: first.id, input: 'And?' }))
    expect(continued.status, continued.text).toBe(200)
    const { id: _, ...bare } = search('ws_1')
    expect((world.vendor.calls[1]?.body as Json | undefined)?.input).toContainEqual(bare)
    world.vendor.answer((call) => sendJson(call, chatAnswer('And so on.')))
    const elsewhere = await post(secret, { model: 'fake/chat', previous_response_id: first.id, input: 'And?' })
    expect(elsewhere.status, elsewhere.text).toBe(200)
  })

  test('may be made ten times if its request does not say, if the balance covers that', async () => {
    world.vendor.answer((call) => sendNative(call, FOUND))
    const poor = await post((await world.holder()).secret, ask({ max_tool_calls: null }))
    expect(poor.status).toBe(429)
    expect(poor.error()).toMatchObject({ code: 'insufficient_quota' })
    const rich = await post((await world.holder({}, 5_000_000_000n)).secret, ask({ max_tool_calls: null }))
    expect(rich.status, rich.text).toBe(200)
    expect(world.vendor.calls.map(({ body }) => body.max_tool_calls)).toEqual([10])
    expect(rich.json().max_tool_calls).toBeNull()
  })

  test('in a number that no balance covers is refused, and disturbs no other request of its account', async () => {
    world.vendor.answer((call) => sendNative(call, FOUND))
    const { secret } = await world.holder({}, 5_000_000_000n)
    const sent = [Number.MAX_SAFE_INTEGER, 900_000_000_000, 900_000_000_000, 5].map((max_tool_calls) =>
      post(secret, ask({ max_tool_calls })),
    )
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses).toEqual([429, 429, 429, 200])
  })

  test('costs its vendor what it costs here, where it was priced later', async () => {
    world.vendor.answer((call) => sendNative(call, FOUND))
    const holder = await world.holder()
    const answer = await post(holder.secret, ask({ model: 'fake/priced-later' }))
    expect(answer.status, answer.text).toBe(200)
    await world.records(holder.accountId, 1)
    expect((await costOf(holder.accountId))?.vendorCost).toBe(String(COST + 2n * PRICE))
  })

  test('is refused without a price, and in a chat', async () => {
    const expected = { status: 400, code: 'invalid_request_error', param: 'tools[0].type' }
    for (const [model, text] of [
      ['fake/native', /no price for them/],
      ['fake/chat', /no price for them/],
      ['fake/claude', /no price for them/],
      ['fake/priced-chat', /whose vendor offers responses/],
    ] as const) {
      const refused = await post((await world.holder()).secret, ask({ model }))
      expect(refused.status, refused.text).toBe(expected.status)
      expect(refused.error()).toMatchObject({ param: expected.param, message: expect.stringMatching(text) })
    }
    expect(world.vendor.calls).toEqual([])
  })

  test('that nobody asked for is not billed', async () => {
    world.vendor.answer((call) => sendNative(call, FOUND))
    const holder = await world.holder()
    expect((await post(holder.secret, ask({ tools: null, max_tool_calls: null }))).status).toBe(200)
    expect(await world.records(holder.accountId, 1)).toMatchObject([{ charged: COST }])
  })
})

describe('a stream that searches', () => {
  const BEGUN = eventsOf(FOUND).slice(0, 15)

  test('runs on when its client leaves, and is charged for all that it does', async () => {
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    world.vendor.answer(async (call) => {
      startStream(call)
      for (const event of BEGUN) sendEvent(call, event)
      await released
      for (const event of eventsOf(FOUND).slice(BEGUN.length)) sendEvent(call, event)
      call.response.end()
    })
    const holder = await world.holder()
    const controller = new AbortController()
    const answer = await fetch(`${world.url}/v1/responses`, {
      method: 'POST',
      headers: Object.fromEntries(headersOf(holder.secret)),
      body: JSON.stringify(ask({ input: 'Hello.', stream: true })),
      signal: controller.signal,
    })
    await answer.body?.getReader().read()
    controller.abort()
    await sleep(200)
    release()
    expect(await world.records(holder.accountId, 1)).toMatchObject([{ outcome: 'client_gone', charged: COST + 2n * PRICE }])
    await world.expectSettledBooks(holder, 1)
  })

  test('and breaks off is charged for the searches that it made', async () => {
    world.vendor.answer((call) => {
      startStream(call)
      for (const event of BEGUN) sendEvent(call, event)
      call.response.end()
    })
    const holder = await world.holder()
    const answer = await post(holder.secret, ask({ stream: true }))
    expect(answer.text).toContain('response.failed')
    await world.records(holder.accountId, 1)
    expect((await costOf(holder.accountId))?.lines).toContainEqual(expect.objectContaining({ unit: 'web_search' }))
    await world.expectSettledBooks(holder, 1)
  })

  test('and fails is charged for what its vendor counts', async () => {
    const failed = resource({ status: 'failed', output: FOUND, error: { code: 'server_error', message: 'It broke.' } })
    world.vendor.answer((call) => {
      startStream(call)
      for (const event of [...eventsOf(FOUND).slice(0, -1), { type: 'response.failed', response: failed }]) sendEvent(call, event)
      call.response.end()
    })
    const holder = await world.holder()
    expect((await post(holder.secret, ask({ stream: true }))).text).toContain('response.failed')
    expect(await world.records(holder.accountId, 1)).toMatchObject([
      { outcome: 'cut', charged: COST + 2n * PRICE, estimated: false },
    ])
    await world.expectSettledBooks(holder, 1)
  })
})

test('what goes out is valid by OpenAI’s document', async ({ skip }) => {
  const document = loadOpenAiDocument()
  if (!document) skip('the document is absent')
  world.vendor.answer((call) => sendJson(call, resource({ output: FOUND })))
  const { secret } = await world.holder({}, 5_000_000_000n)
  const tools = [
    { ...TOOL, filters: { allowed_domains: ['example.com'] }, user_location: { type: 'approximate', country: 'DE' } },
  ]
  expect((await post(secret, ask({ tools }))).status).toBe(200)
  expect(document?.findProblems('CreateResponse', world.vendor.calls[0]?.body)).toEqual([])
})
