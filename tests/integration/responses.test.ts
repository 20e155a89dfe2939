import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, headersOf, openApiWorld } from '../fakes/api-world.ts'
import { expectCompleteStream, expectValidResponse, type Json, readEvents } from '../support/open-responses.ts'
import { loadOpenAiDocument } from '../support/openai-document.ts'

/** Null if ../shared/reference is absent. */
const document = loadOpenAiDocument()
let world: ApiWorld
let secret: string

beforeAll(async () => {
  world = await openApiWorld()
  secret = (await world.holder()).secret
})
afterAll(() => world?.[Symbol.asyncDispose]())

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WEATHER_TOOL = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
  strict: true,
}

const post = (body: Json, key = secret) =>
  world.send({
    path: '/v1/responses',
    headers: headersOf(key),
    body: JSON.stringify({ model: 'sandbox/chat', ...body }),
  })
const callResponses = (method: string, path: string, key = secret) =>
  world.send({ method, path: `/v1/responses/${path}`, headers: headersOf(key) })

async function requestNonStreaming(body: Json, key = secret): Promise<Json> {
  const answer = await post(body, key)
  expect(answer.status, answer.text.slice(0, 2000)).toBe(200)
  expectValidResponse(answer.json())
  return answer.json()
}

async function streamed(body: Json, key = secret): Promise<Json> {
  const answer = await post({ ...body, stream: true }, key)
  expect(answer.status, answer.text.slice(0, 2000)).toBe(200)
  expect(answer.header('content-type')).toMatch(/^text\/event-stream/)
  return expectCompleteStream(answer.body.toString('utf8'))
}

const textOf = (response: Json): string =>
  (response.output as Json[])
    .filter((item) => item.type === 'message')
    .flatMap((item) => (item.content as Json[]).map((part) => part.text))
    .join('')

/** A response without what differs between any two answers, for comparing two that say the same. */
const withoutIds = (response: Json): unknown =>
  JSON.parse(
    JSON.stringify(response)
      .replaceAll(String(response.id).slice(5), 'X')
      .replace(/"call_[0-9A-Za-z]{24}"/g, '"call_X"'),
  ) as Json

// The HTTP cases of the Open Responses compliance suite, and what its text implies.
const CASES: [string, Json, (response: Json) => void][] = [
  ['a text', { input: 'Hello there.' }, (response) => expect(textOf(response)).toContain('You said: "Hello there."')],
  [
    'a message',
    { input: [{ type: 'message', role: 'user', content: 'Hello there.' }] },
    (response) => expect(textOf(response)).toContain('You said: "Hello there."'),
  ],
  [
    'instructions',
    { instructions: 'reply exactly: aye aye', input: 'Hello.' },
    (response) => expect(textOf(response)).toBe('aye aye'),
  ],
  [
    'a system message',
    {
      input: [
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'reply exactly: arr' }] },
        { type: 'message', role: 'user', content: 'Hello.' },
      ],
    },
    (response) => expect(textOf(response)).toBe('arr'),
  ],
  [
    'a developer message',
    {
      input: [
        { role: 'developer', content: 'reply exactly: ok' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    (response) => expect(textOf(response)).toBe('ok'),
  ],
  [
    'a conversation',
    {
      input: [
        { type: 'message', role: 'user', content: 'My name is Alice.' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello Alice!', annotations: [] }] },
        { type: 'message', role: 'user', content: 'What is my name?' },
      ],
    },
    (response) => expect(textOf(response)).toContain('What is my name?'),
  ],
  [
    'an image',
    {
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: PIXEL, detail: 'low' },
          ],
        },
      ],
    },
    (response) => expect(textOf(response)).toMatch(/I received 1 image \(image\/png, \d+ bytes\)/),
  ],
  [
    'a tool',
    { input: 'Use get_weather for Oslo', tools: [WEATHER_TOOL] },
    (response) => {
      const call = (response.output as Json[]).find((item) => item.type === 'function_call')
      expect(call).toMatchObject({ name: 'get_weather', status: 'completed', call_id: expect.stringMatching(/^call_/) })
      expect(JSON.parse(call?.arguments as string)).toEqual({ city: expect.any(String) })
    },
  ],
  [
    'two tools at once',
    { input: 'Use get_weather and get_time for Oslo', tools: [WEATHER_TOOL, { ...WEATHER_TOOL, name: 'get_time' }] },
    (response) => expect((response.output as Json[]).filter((item) => item.type === 'function_call')).toHaveLength(2),
  ],
  [
    'a tool that has to be called',
    { input: 'Hello.', tools: [WEATHER_TOOL], tool_choice: { type: 'function', name: 'get_weather' } },
    (response) => expect((response.output as Json[]).some((item) => item.type === 'function_call')).toBe(true),
  ],
  [
    'a custom tool',
    { input: 'Use run_code', tools: [{ type: 'custom', name: 'run_code' }], tool_choice: 'required' },
    (response) =>
      expect(response).toMatchObject({
        tools: [{ type: 'custom', name: 'run_code', format: { type: 'text' } }],
        output: [{ type: 'custom_tool_call', name: 'run_code' }],
      }),
  ],
  [
    'structured output',
    {
      input: 'Plan a trip.',
      text: {
        format: {
          type: 'json_schema',
          name: 'trip',
          schema: { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'], additionalProperties: false },
          strict: true,
        },
      },
    },
    (response) => expect(JSON.parse(textOf(response))).toEqual({ days: expect.any(Number) }),
  ],
  [
    'a cap that is reached',
    { input: 'word '.repeat(60), max_output_tokens: 16 },
    (response) => {
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
      expect((response.output as Json[]).at(-1)?.status).toBe('incomplete')
    },
  ],
  [
    'log probabilities',
    { input: 'Hello.', include: ['message.output_text.logprobs'], top_logprobs: 2 },
    (response) => {
      const [part] = (response.output as { content: Json[] }[])[0]?.content ?? []
      expect(part?.logprobs).toContainEqual(expect.objectContaining({ token: expect.any(String), logprob: expect.any(Number) }))
    },
  ],
  [
    'everything that is told again',
    {
      input: 'Hello.',
      metadata: { order: '7' },
      temperature: 0.5,
      top_p: 0.5,
      parallel_tool_calls: false,
      max_tool_calls: 3,
      safety_identifier: 'user-1',
      prompt_cache_key: 'cache-1',
      prompt_cache_retention: '24h',
      text: { verbosity: 'low' },
      reasoning: { effort: 'low', summary: 'auto' },
      truncation: 'disabled',
      background: false,
      service_tier: 'auto',
    },
    (response) =>
      expect(response).toMatchObject({
        metadata: { order: '7' },
        temperature: 0.5,
        top_p: 0.5,
        parallel_tool_calls: false,
        max_tool_calls: 3,
        safety_identifier: 'user-1',
        prompt_cache_key: 'cache-1',
        prompt_cache_retention: '24h',
        text: { format: { type: 'text' }, verbosity: 'low' },
        reasoning: { effort: 'low', summary: 'auto' },
        truncation: 'disabled',
      }),
  ],
]

describe.each(CASES)('%s', (_name, body, check) => {
  test('is answered whole', async () => check(await requestNonStreaming(body)))
  test('is answered in events, which add up to the same', async () => {
    const response = await streamed(body)
    check(response)
    const { created_at: _c, completed_at: _d, ...streamedBody } = withoutIds(response) as Json
    const { created_at: _e, completed_at: _f, ...nonStreamingBody } = withoutIds(await requestNonStreaming(body)) as Json
    expect(streamedBody).toEqual(nonStreamingBody)
  })
})

describe('a stored response', () => {
  test('is looked up as it was answered, whole and streamed', async () => {
    for (const response of [
      await requestNonStreaming({ input: 'Keep this.' }),
      await streamed({ input: 'Keep this.', metadata: { a: 'b' } }),
    ]) {
      expect(response.store).toBe(true)
      const found = await callResponses('GET', String(response.id))
      expect(found.status).toBe(200)
      expectValidResponse(found.json())
      expect(found.json()).toEqual(response)
      expect((found.json().usage as Json).cost).toBeGreaterThan(0)
    }
  })

  test('lists the items that its request brought', async () => {
    const input = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }))
    const { id } = await requestNonStreaming({ input })
    const all = (await callResponses('GET', `${id}/input_items?order=asc`)).json()
    expect((all.data as { content: Json[] }[]).map((item) => item.content[0]?.text)).toEqual(['one', 'two', 'three'])
    expect(all).toMatchObject({ object: 'list', has_more: false })
    const page = (await callResponses('GET', `${id}/input_items?limit=2`)).json()
    expect((page.data as { content: Json[] }[]).map((item) => item.content[0]?.text)).toEqual(['three', 'two'])
    expect(page.has_more).toBe(true)
    const rest = (await callResponses('GET', `${id}/input_items?after=${page.last_id}`)).json()
    expect((rest.data as { content: Json[] }[]).map((item) => item.content[0]?.text)).toEqual(['one'])
    const wrong = ['limit=0', 'limit=101', 'limit=x', 'limit=', 'limit=1.5', 'limit=0x2', 'limit=1e1', 'limit=%202']
    for (const query of [...wrong, 'order=up', 'order=ASC', 'after=msg_1', 'after='])
      expect((await callResponses('GET', `${id}/input_items?${query}`)).error().param).toBe(query.split('=')[0])
  })

  test('lists each of them once, though their sender gave several one id', async () => {
    const { id } = await requestNonStreaming({
      input: ['a', 'b', 'c', 'd'].map((content) => ({ type: 'message', role: 'user', id: 'm', content })),
    })
    const seen: unknown[] = []
    for (let after = ''; seen.length < 9; ) {
      const page = (await callResponses('GET', `${id}/input_items?limit=1&order=asc${after}`)).json()
      seen.push(...(page.data as { content: Json[] }[]).map((item) => item.content[0]?.text))
      if (!page.has_more) break
      after = `&after=${page.last_id}`
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd'])
  })

  test('lists them with all that their readers look for', async () => {
    const input = [
      { role: 'assistant', content: 'said' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'more', annotations: null }] },
      { role: 'user', content: [{ type: 'input_image', image_url: PIXEL, file_id: null, detail: null }], status: null },
      { type: 'reasoning', id: null, content: null, encrypted_content: null },
      { type: 'function_call', call_id: 'c', namespace: null, name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'done' }] },
      { type: 'message', role: 'user', content: 'go on' },
    ]
    const { id } = await requestNonStreaming({ input })
    const listed = (await callResponses('GET', `${id}/input_items?order=asc`)).json()
    const itemId = (prefix: string, index: number) => ({ id: `${prefix}_${String(id).slice(5)}_i${index}` })
    const completedMessage = { type: 'message', status: 'completed' }
    const text = { type: 'output_text', annotations: [], logprobs: [] }
    expect(listed.data).toEqual([
      { ...itemId('msg', 0), ...completedMessage, role: 'assistant', content: [{ ...text, text: 'said' }] },
      { ...itemId('msg', 1), ...completedMessage, role: 'assistant', content: [{ ...text, text: 'more' }] },
      {
        ...itemId('msg', 2),
        ...completedMessage,
        role: 'user',
        content: [{ type: 'input_image', image_url: PIXEL, detail: 'auto' }],
      },
      { ...itemId('rs', 3), type: 'reasoning', summary: [] },
      { ...itemId('fc', 4), type: 'function_call', status: 'completed', call_id: 'c', name: 'f', arguments: '{}' },
      { ...itemId('fco', 5), ...input[5], status: 'completed' },
      { ...itemId('msg', 6), ...completedMessage, role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
    ])
    if (document) expect(document.findProblems('ResponseItemList', listed)).toEqual([])
  })

  test('is deleted once, and then unknown', async () => {
    const { id } = await requestNonStreaming({ input: 'Forget this.' })
    const gone = await callResponses('DELETE', String(id))
    expect(gone.json()).toEqual({ id, object: 'response', deleted: true })
    for (const method of ['GET', 'DELETE']) expect((await callResponses(method, String(id))).status).toBe(404)
    expect((await callResponses('GET', `${id}/input_items`)).status).toBe(404)
    const more = await post({ input: 'More', previous_response_id: id })
    expect(more.error()).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' })
  })

  test('is unknown to another account, and cannot be deleted or continued by it', async () => {
    const { id } = await requestNonStreaming({ input: 'Mine.' })
    const other = (await world.holder()).secret
    for (const method of ['GET', 'DELETE']) {
      const answer = await callResponses(method, String(id), other)
      expect([answer.status, answer.error().code]).toEqual([404, 'response_not_found'])
    }
    expect((await post({ input: 'x', previous_response_id: id }, other)).error().code).toBe('previous_response_not_found')
    const reference = [
      { type: 'item_reference', id: `msg_${String(id).slice(5)}_0` },
      { role: 'user', content: 'x' },
    ]
    expect((await post({ input: reference }, other)).error().param).toBe('input[0].id')
    expect((await callResponses('GET', String(id))).status).toBe(200)
  })

  test('is not stored where it is not wanted', async () => {
    const plain = await requestNonStreaming({ input: 'Pass.', store: false })
    expect(plain.store).toBe(false)
    expect((await callResponses('GET', String(plain.id))).status).toBe(404)
    const silent = (await world.holder({ historyEnabled: false })).secret
    const response = await requestNonStreaming({ input: 'Pass.' }, silent)
    expect(response.store).toBe(false)
    expect((await callResponses('GET', String(response.id), silent)).status).toBe(404)
    const wanted = await requestNonStreaming({ input: 'Stay.', store: true }, silent)
    expect((await callResponses('GET', String(wanted.id), silent)).json()).toEqual(wanted)
  })

  test('is unknown when it has expired', async () => {
    const { id } = await requestNonStreaming({ input: 'Old.' })
    const { id: newer } = await requestNonStreaming({ input: 'New.', previous_response_id: id })
    await world.pool.query(`UPDATE stored_response SET expires_at = now() - interval '1 s' WHERE id = $1`, [id])
    expect((await callResponses('GET', String(id))).status).toBe(404)
    expect((await post({ input: 'x', previous_response_id: id })).error().code).toBe('previous_response_not_found')
    // It is still part of what continues it.
    expect((await post({ input: 'x', previous_response_id: newer })).status).toBe(200)
  })

  test.each(['x', 'resp_', `resp_${'0'.repeat(25)}'`, 'resp_%00', '../models', 'x'.repeat(300)])('is not %s', async (id) => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await callResponses(method, encodeURIComponent(id))
      expect([answer.status, answer.error().code]).toEqual([404, 'response_not_found'])
    }
  })

  test('is not streamed again', async () => {
    const { id } = await requestNonStreaming({ input: 'x' })
    expect((await callResponses('GET', `${id}?stream=true`)).error().param).toBe('stream')
  })

  test('says which methods it has', async () => {
    const answer = await callResponses('PATCH', `resp_${'0'.repeat(26)}`)
    expect([answer.status, answer.header('allow')]).toEqual([405, 'GET, HEAD, DELETE'])
  })
})

describe('a conversation', () => {
  test('goes on from a stored response, with its tools', async () => {
    const first = await requestNonStreaming({ input: 'Use get_weather for Oslo', tools: [WEATHER_TOOL] })
    const call = (first.output as Json[]).find((item) => item.type === 'function_call')
    const output = { type: 'function_call_output', call_id: call?.call_id, output: 'minus four degrees' }
    const second = await streamed({ previous_response_id: first.id, input: [output], tools: [WEATHER_TOOL] })
    expect(second.previous_response_id).toBe(first.id)
    expect(textOf(second)).toContain('The tool get_weather answered: "minus four degrees".')
    const third = await requestNonStreaming({
      previous_response_id: second.id,
      input: 'And now?',
      tools: [WEATHER_TOOL],
      tool_choice: 'none',
    })
    expect(textOf(third)).toContain('And now?')
    const used = (response: Json) => (response.usage as { input_tokens: number }).input_tokens
    expect(used(second)).toBeGreaterThan(used(first))
    expect(used(third)).toBeGreaterThan(used(second))
  })

  test('is the same when its items are sent again, or referred to', async () => {
    const first = await requestNonStreaming({ input: 'Use get_weather for Oslo', tools: [WEATHER_TOOL] })
    const items = first.output as Json[]
    const call = items.find((item) => item.type === 'function_call')
    const user = { role: 'user', content: 'Use get_weather for Oslo' }
    const output = { type: 'function_call_output', call_id: call?.call_id, output: 'rain' }
    const stored = await requestNonStreaming({ previous_response_id: first.id, input: [output], tools: [WEATHER_TOOL] })
    const sent = await requestNonStreaming({ input: [user, ...items, output], tools: [WEATHER_TOOL] })
    const references = items.map(({ id }) => ({ type: 'item_reference', id }))
    const referred = await requestNonStreaming({ input: [user, ...references, output], tools: [WEATHER_TOOL] })
    expect(textOf(sent)).toBe(textOf(stored))
    expect(textOf(referred)).toBe(textOf(stored))
    // A reference is stored as the item that it refers to.
    await callResponses('DELETE', String(first.id))
    expect((await post({ previous_response_id: referred.id, input: 'Go on.' })).status).toBe(200)
    expect((await post({ previous_response_id: stored.id, input: 'Go on.' })).error()).toMatchObject({
      code: 'previous_response_not_found',
      message: expect.stringContaining('An earlier response of its conversation was deleted'),
    })
  })

  test('takes instructions of each request alone', async () => {
    const first = await requestNonStreaming({ instructions: 'reply exactly: one', input: 'Hello.' })
    const second = await requestNonStreaming({ previous_response_id: first.id, input: 'What now?' })
    expect(textOf(second)).toContain('What now?')
    expect(second.instructions).toBeNull()
  })
})

describe('a stream that breaks', () => {
  test('ends with an error and a failed response, and is not stored', async () => {
    const answer = await post({ model: 'sandbox/error-disconnect', input: 'Hi', stream: true })
    const { events, done } = readEvents(answer.body.toString('utf8'))
    expect(done).toBe(false)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const [error, failed] = events.slice(-2)
    const errorFields = { code: 'server_error', message: expect.any(String), param: null }
    expect(error).toMatchObject({ type: 'error', ...errorFields, error: { type: 'server_error', ...errorFields } })
    expect(failed?.response).toMatchObject({ status: 'failed', error: { code: 'server_error' }, usage: null })
    expectValidResponse(failed?.response)
    expect(events.some(({ type }) => type === 'response.completed')).toBe(false)
    expect((await callResponses('GET', String((failed?.response as Json | undefined)?.id))).status).toBe(404)
  })

  test('is a plain error where nothing was said', async () => {
    const answer = await post({ model: 'sandbox/error-500', input: 'Hi', stream: true })
    expect([answer.status, answer.error().code]).toEqual([500, 'server_error'])
  })
})

test('a repeat with the same Idempotency-Key is the same response, charged once', async () => {
  const holder = await world.holder()
  const ask = (stream: boolean, key: string) =>
    world.send({
      path: '/v1/responses',
      headers: headersOf(holder.secret, [['idempotency-key', key]]),
      body: JSON.stringify({ model: 'sandbox/chat', input: 'Once.', stream }),
    })
  for (const stream of [true, false]) {
    const [first, second] = [await ask(stream, `k${stream}`), await ask(stream, `k${stream}`)]
    expect(second.body.toString()).toBe(first.body.toString())
    expect(second.header('x-tollgate-replayed')).toMatch(/^req_/)
  }
  await world.expectSettledBooks(holder, 2)
})
