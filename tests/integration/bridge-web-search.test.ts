import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld, untilModelKnown, VENDOR_SECRET } from '../fakes/api-world.ts'
import { createChatClient, type Json, readMessage, UNITS } from '../fakes/bridged-chats.ts'
import { claudeAnswer, claudeText, geminiAnswer, respondClaude, respondGemini, sendEvents } from '../fakes/bridged-vendors.ts'
import { addModel } from '../support/fixtures.ts'

/** Of one search, in nano-dollars. */
const PRICE = 10_000_000n
/** Ten tokens of input and five of output. */
const TOKENS = 10n * 1000n + 5n * 5000n

const CITED = { url: 'https://a.example/lock', title: 'Locks' }
const citation = { type: 'web_search_result_location', ...CITED, cited_text: 'A lock …', encrypted_index: 'idx' }
const result = { type: 'web_search_result', url: 'https://b.example', title: 'Unread', encrypted_content: 'x', page_age: null }
const searchOf = (id: string, query: string, content: unknown) => [
  { type: 'server_tool_use', id, name: 'web_search', input: { query } },
  { type: 'web_search_tool_result', tool_use_id: id, content },
]
const used = (web_search_requests: number) => ({ server_tool_use: { web_search_requests, web_fetch_requests: 0 } })
/** Two searches, the second of which fails, and a text whose second half cites a page. */
const FOUND = [
  claudeText('I look. '),
  ...searchOf('srvtoolu_1', 'locks', [result]),
  ...searchOf('srvtoolu_2', 'keys', { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }),
  claudeText('It is known: '),
  { ...claudeText('a lock has one gate.'), citations: [citation, { type: 'char_location', cited_text: 'x' }] },
]
const grounding = {
  webSearchQueries: ['locks', 'gates of locks'],
  groundingChunks: [{ web: { uri: CITED.url, title: CITED.title } }],
  searchEntryPoint: { renderedContent: '<div></div>' },
}
function geminiFound() {
  const answer = geminiAnswer([{ text: 'A lock has one gate.' }])
  return { ...answer, candidates: answer.candidates.map((one) => ({ ...one, groundingMetadata: grounding })) }
}

let world: ApiWorld
const { lastCall } = createChatClient(() => world)
const holder = () => world.holder({}, 900_000_000n)
const ask = (model: string, stream: boolean, more: object = {}) => ({
  model,
  max_tokens: 500,
  ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  web_search_options: { max_uses: 3 },
  ...more,
})
const annotation = (start_index: number, end_index: number) => ({
  type: 'url_citation',
  url_citation: { ...CITED, start_index, end_index },
})

beforeAll(async () => {
  world = await openApiWorld()
  const vendor = { baseUrl: world.vendor.url, secret: VENDOR_SECRET, units: { ...UNITS, web_search: String(PRICE * 1_000_000n) } }
  await addModel(world.pool, { id: 'fake/claude', kind: 'anthropic', upstreamModel: 'claude-sonnet-4-5', ...vendor })
  await addModel(world.pool, { id: 'fake/gemini-2', kind: 'google', upstreamModel: 'gemini-2.5-flash', ...vendor })
  await addModel(world.pool, { id: 'fake/gemini-3', kind: 'google', upstreamModel: 'gemini-3.5-flash', ...vendor })
  await addModel(world.pool, { id: 'fake/vertex', kind: 'google-vertex', upstreamModel: 'gemini-3.5-flash', ...vendor })
  await addModel(world.pool, { id: 'fake/mistral', kind: 'mistral', upstreamModel: 'mistral-large', ...vendor })
  await untilModelKnown(world, 'fake/mistral')
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => {
  world.vendor.calls.length = 0
})

describe.each([false, true])('a search of the web, stream: %s', (stream) => {
  test('by Claude in a chat: its pages are cited, and each search is billed', async () => {
    world.vendor.answer(respondClaude(claudeAnswer(FOUND, used(1))))
    const who = await holder()
    const location = { type: 'approximate', approximate: { country: 'NZ' } }
    const web_search_options = { max_uses: 3, user_location: location, filters: { allowed_domains: ['a.example'] } }
    const answer = await world.chat(who.secret, ask('fake/claude', stream, { web_search_options }))
    expect(answer.status, answer.text).toBe(200)
    const { message, finish, usage } = readMessage(answer, stream)
    expect(message).toMatchObject({ content: 'I look. It is known: a lock has one gate.', annotations: [annotation(21, 41)] })
    expect(message).not.toHaveProperty('tool_calls')
    expect(JSON.stringify(message)).not.toMatch(/web_searches|Unread/)
    expect(finish).toBe('stop')
    expect(usage).toMatchObject({
      server_tool_use: { web_search_requests: 1 },
      cost: Number(TOKENS + PRICE) / 1e9,
    })
    expect(lastCall().body).toMatchObject({
      tools: [
        {
          type: 'web_search_20250305',
          name: 'web_search',
          max_uses: 3,
          allowed_domains: ['a.example'],
          user_location: { type: 'approximate', country: 'NZ' },
        },
      ],
    })
    const [record] = await world.records(who.accountId, 1)
    expect(record?.charged).toBe(TOKENS + PRICE)
    expect(record?.hold).toBeGreaterThanOrEqual(3n * PRICE + 3n * 32_768n * 1000n)
    await world.expectSettledBooks(who, 1)
  })

  test('by Claude in a response: its searches are items, before what was found with them', async () => {
    world.vendor.answer(respondClaude(claudeAnswer(FOUND, used(1))))
    const who = await holder()
    const client = new OpenAI({ apiKey: who.secret, baseURL: `${world.url}/v1`, maxRetries: 0 })
    const asked = {
      model: 'fake/claude',
      input: 'What is a lock?',
      max_output_tokens: 500,
      max_tool_calls: 3,
      tools: [
        { type: 'web_search' as const, search_context_size: 'low' as const },
        { type: 'function' as const, name: 'f', parameters: {}, strict: false },
      ],
    }
    const response: Json = stream ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked)
    const item = (query: string, status: string) => ({
      id: expect.stringMatching(/^ws_/),
      type: 'web_search_call',
      status,
      action: { type: 'search', query, queries: [query] },
    })
    const text = (said: string, annotations: object[]) => ({ type: 'message', content: [{ text: said, annotations }] })
    expect(response.output).toMatchObject([
      text('I look. ', []),
      item('locks', 'completed'),
      item('keys', 'failed'),
      text('It is known: a lock has one gate.', [{ type: 'url_citation', ...CITED, start_index: 13, end_index: 33 }]),
    ])
    expect(lastCall().body.tools).toMatchObject([{ type: 'web_search_20250305', max_uses: 3 }, { name: 'f' }])
    await client.responses.create({ ...asked, previous_response_id: response.id, input: 'And a key?' })
    expect((lastCall().body as Json).messages).toHaveLength(3)
    expect(await world.records(who.accountId, 2)).toMatchObject([{ charged: TOKENS + PRICE }, { charged: TOKENS + PRICE }])
    await world.expectSettledBooks(who, 2)
  })

  test.each([
    ['fake/gemini-2', 1n],
    ['fake/gemini-3', 2n],
    ['fake/vertex', 2n],
  ])('by %s is billed as Google bills it', async (model, billed) => {
    world.vendor.answer(respondGemini(geminiFound()))
    const who = await holder()
    const answer = await world.chat(who.secret, ask(model, stream))
    expect(answer.status, answer.text).toBe(200)
    const { message, usage } = readMessage(answer, stream)
    expect(message).toMatchObject({ content: 'A lock has one gate.', annotations: [annotation(0, 20)] })
    expect(usage).toMatchObject({ server_tool_use: { web_search_requests: Number(billed) } })
    expect(lastCall().body).toMatchObject({ tools: [{ googleSearch: {} }] })
    expect(await world.records(who.accountId, 1)).toMatchObject([{ charged: TOKENS + billed * PRICE }])
    const client = new OpenAI({ apiKey: who.secret, baseURL: `${world.url}/v1`, maxRetries: 0 })
    const asked = { model, input: 'x', max_output_tokens: 500, tools: [{ type: 'web_search' as const }] }
    const response: Json = stream ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked)
    expect(response.output).toMatchObject([
      { type: 'message', content: [{ annotations: [{ type: 'url_citation', ...CITED }] }] },
      { type: 'web_search_call', action: { query: 'locks' } },
      { type: 'web_search_call', action: { query: 'gates of locks' } },
    ])
    await world.expectSettledBooks(who, 2)
  })

  test('by Gemini, whose signature of its text does not end what the text cites', async () => {
    const answer = geminiAnswer([{ text: 'A lock has one gate.' }, { text: '', thoughtSignature: 'c2lnbmVk' }])
    world.vendor.answer(
      respondGemini({ ...answer, candidates: answer.candidates.map((one) => ({ ...one, groundingMetadata: grounding })) }),
    )
    const client = new OpenAI({ apiKey: (await holder()).secret, baseURL: `${world.url}/v1`, maxRetries: 0 })
    const asked = { model: 'fake/gemini-3', input: 'x', max_output_tokens: 500, tools: [{ type: 'web_search' as const }] }
    const response: Json = stream ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked)
    expect(response.output).toMatchObject([
      { type: 'message', content: [{ annotations: [{ ...CITED, start_index: 0, end_index: 20 }] }] },
      { type: 'reasoning' },
      { type: 'web_search_call' },
      { type: 'web_search_call' },
    ])
  })

  test.each([
    ['fake/gemini-2', ['locks', '', 'locks', 'keys'], 1n],
    ['fake/gemini-3', ['locks', '', 'locks', 'keys'], 2n],
    ['fake/gemini-3', [''], 1n],
    ['fake/gemini-2', undefined, 1n],
  ])('by %s for %o counts what differs, and at least one if a page is cited', async (model, webSearchQueries, billed) => {
    const answer = geminiAnswer([{ text: 'A lock.' }])
    const groundingMetadata = { ...grounding, webSearchQueries }
    world.vendor.answer(respondGemini({ ...answer, candidates: answer.candidates.map((one) => ({ ...one, groundingMetadata })) }))
    const who = await holder()
    expect((await world.chat(who.secret, ask(model, stream))).status).toBe(200)
    expect(await world.records(who.accountId, 1)).toMatchObject([{ charged: TOKENS + billed * PRICE }])
  })

  test('that the model did not need costs nothing', async () => {
    world.vendor.answer(respondClaude(claudeAnswer([claudeText('I know.')], used(0))))
    const who = await holder()
    const answer = await world.chat(who.secret, ask('fake/claude', stream))
    expect(readMessage(answer, stream).usage).not.toHaveProperty('server_tool_use')
    expect(await world.records(who.accountId, 1)).toMatchObject([{ charged: TOKENS }])
  })

  test('that its vendor does not count is counted by what succeeded', async () => {
    world.vendor.answer(respondClaude(claudeAnswer(FOUND)))
    const who = await holder()
    expect((await world.chat(who.secret, ask('fake/claude', stream))).status).toBe(200)
    expect(await world.records(who.accountId, 1)).toMatchObject([{ charged: TOKENS + PRICE }])
  })
})

test('searches that Gemini names before the end of a stream are billed', async () => {
  const event = (text: string, groundingMetadata: object, usage: object | null, finish: string | null) => {
    const answer = geminiAnswer([{ text }], usage, finish)
    return { ...answer, candidates: answer.candidates.map((one) => ({ ...one, groundingMetadata })) }
  }
  world.vendor.answer((call) =>
    sendEvents(call, [
      event('A lock ', { webSearchQueries: ['locks'] }, null, null),
      event('has ', { webSearchQueries: ['locks', 'gates'] }, null, null),
      event('one gate.', {}, {}, 'STOP'),
    ]),
  )
  const who = await holder()
  expect((await world.chat(who.secret, ask('fake/gemini-3', true))).status).toBe(200)
  expect(await world.records(who.accountId, 1)).toMatchObject([{ charged: TOKENS + 2n * PRICE }])
})

describe('a search that cannot be made is a 400 that names it', () => {
  const fn = { type: 'function', function: { name: 'f' } }
  test.each<[string, object, string]>([
    ['fake/mistral', {}, 'web_search_options'],
    ['fake/gemini-3', { web_search_options: { filters: { allowed_domains: ['a.com'] } } }, 'web_search_options.filters'],
    ['fake/gemini-3', { tools: [fn] }, 'tools'],
    ['fake/claude', { web_search_options: { max_uses: 'x' } }, 'web_search_options.max_uses'],
  ])('%s %o', async (model, more, param) => {
    const answer = await world.chat((await holder()).secret, ask(model, false, more))
    expect(answer.status).toBe(400)
    expect(answer.error()).toMatchObject({ param })
  })

  test.each<[string, object, string]>([
    ['fake/mistral', {}, 'tools[0].type'],
    ['fake/gemini-3', { tools: [{ type: 'web_search', filters: { allowed_domains: ['a.com'] } }] }, 'tools.filters'],
    ['fake/claude', { tool_choice: { type: 'web_search' } }, 'tool_choice.type'],
    ['fake/claude', { tools: [{ type: 'web_search' }, { type: 'function', name: 'web_search' }] }, 'tools[1].name'],
    ['fake/claude', { tools: [{ type: 'web_search', external_web_access: false }] }, 'tools.external_web_access'],
  ])('in a response: %s %o', async (model, more, param) => {
    const body = JSON.stringify({ model, input: 'x', tools: [{ type: 'web_search' }], ...more })
    const headers = { authorization: `Bearer ${(await holder()).secret}`, 'content-type': 'application/json' }
    const answer = await fetch(`${world.url}/v1/responses`, { method: 'POST', headers, body })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param } })
  })

  test('and what only steers it is left out and named', async () => {
    world.vendor.answer(respondGemini(geminiFound()))
    const answer = await world.chat(
      (await holder()).secret,
      ask('fake/gemini-3', false, { web_search_options: { search_context_size: 'low' } }),
    )
    expect(answer.header('x-tollgate-ignored')).toBe('web_search_options.search_context_size')
    const headers = { authorization: `Bearer ${(await holder()).secret}`, 'content-type': 'application/json' }
    const body = { model: 'fake/gemini-3', input: 'x', max_output_tokens: 50, max_tool_calls: 2, tools: [{ type: 'web_search' }] }
    const response = await fetch(`${world.url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.headers.get('x-tollgate-ignored')).toBe('max_tool_calls')
  })
})
