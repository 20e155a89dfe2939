import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, headersOf, knows, openApiWorld } from '../fakes/api-world.ts'
import { claudeAnswer, claudeEvents, claudeText, sendEvents, wantsStream } from '../fakes/bridged-vendors.ts'
import { type Call, chatAnswer, chatChunk, sendEvent, sendJson, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { expectResource, expectWholeStream, type Json, readEvents } from '../support/open-responses.ts'
import { loadOpenAiDocument } from '../support/openai-document.ts'
import { addDeployment, addModel } from '../support/world.ts'

let world: ApiWorld

const UPSTREAM = { upstreamModel: 'upstream-model', secret: 'vendor-credential-Zq81xPv0' }
const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 120,
}
/** 60 fresh tokens, 40 cached, 20 of output, at TEST_UNITS. */
const COST = 60n * 2500n + 40n * 1250n + 20n * 10000n

beforeAll(async () => {
  world = await openApiWorld({ READER_TIMEOUT_MS: '5000' })
  const { pool, vendor } = world
  await addModel(pool, {
    id: 'fake/native',
    baseUrl: vendor.url,
    kind: 'openai',
    capabilities: ['hidden-reasoning'],
    ...UPSTREAM,
  })
  await addModel(pool, { id: 'fake/claude', baseUrl: vendor.url, kind: 'anthropic', ...UPSTREAM })
  await addModel(pool, { id: 'fake/both', baseUrl: vendor.url, kind: 'openai', ...UPSTREAM })
  await addDeployment(pool, 'fake/both', { baseUrl: vendor.url, ...UPSTREAM, priority: 1 })
  await knows(world, 'fake/both')
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => {
  world.vendor.calls.length = 0
})

const post = (secret: string, body: Json) =>
  world.send({ path: '/v1/responses', headers: headersOf(secret), body: JSON.stringify({ input: 'Hello.', ...body }) })
const get = (secret: string, id: unknown) =>
  world.send({ method: 'GET', path: `/v1/responses/${String(id)}`, headers: headersOf(secret) })

const reasoning = { id: 'rs_v1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'enc' }
const call = { id: 'fc_v2', type: 'function_call', status: 'completed', call_id: 'call_v', name: 'f', arguments: '{"a":1}' }
const part = { type: 'output_text', annotations: [], logprobs: [], text: 'Hello there.' }
const message = { id: 'msg_v3', type: 'message', status: 'completed', role: 'assistant', content: [part] }
const resource = (more: Json = {}): Json => ({
  id: 'resp_vendor',
  object: 'response',
  created_at: 1_700_000_000,
  completed_at: 1_700_000_001,
  status: 'completed',
  model: 'upstream-model-2026',
  output: [reasoning, message],
  error: null,
  incomplete_details: null,
  usage: USAGE,
  ...more,
})

const eventsOf = (output: Json[], more: Json = {}): Json[] => {
  const begun = resource({ status: 'in_progress', output: [], usage: null, completed_at: null })
  const items = output.flatMap((item, output_index) => {
    const of = { item_id: item.id, output_index }
    const empty = item.type === 'message' ? { content: [] } : item.type === 'reasoning' ? { summary: [] } : { arguments: '' }
    const between =
      item.type === 'message'
        ? [
            { type: 'response.content_part.added', ...of, content_index: 0, part: { ...part, text: '' } },
            { type: 'response.output_text.delta', ...of, content_index: 0, delta: 'Hello ', logprobs: [], obfuscation: 'x' },
            { type: 'response.output_text.delta', ...of, content_index: 0, delta: 'there.', logprobs: [], obfuscation: 'xy' },
            { type: 'response.output_text.done', ...of, content_index: 0, text: 'Hello there.', logprobs: [] },
            { type: 'response.content_part.done', ...of, content_index: 0, part },
          ]
        : item.type === 'reasoning'
          ? [
              {
                type: 'response.reasoning_summary_part.added',
                ...of,
                summary_index: 0,
                part: { type: 'summary_text', text: '' },
              },
              { type: 'response.reasoning_summary_text.delta', ...of, summary_index: 0, delta: 'Hm.' },
              { type: 'response.reasoning_summary_text.done', ...of, summary_index: 0, text: 'Hm.' },
              {
                type: 'response.reasoning_summary_part.done',
                ...of,
                summary_index: 0,
                part: { type: 'summary_text', text: 'Hm.' },
              },
            ]
          : [
              { type: 'response.function_call_arguments.delta', ...of, delta: '{"a":1}' },
              { type: 'response.function_call_arguments.done', ...of, name: 'f', arguments: '{"a":1}' },
            ]
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, ...empty, ...(item.status ? { status: 'in_progress' } : {}) },
      },
      ...between,
      { type: 'response.output_item.done', output_index, item },
    ]
  })
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items,
    { type: 'response.completed', response: resource({ output, ...more }) },
  ].map((event, sequence_number) => ({ ...event, sequence_number }))
}

function sendNative(to: Call, output: Json[], more: Json = {}): void {
  if (to.body.stream !== true) {
    sendJson(to, resource({ output, ...more }))
    return
  }
  startStream(to)
  for (const event of eventsOf(output, more)) to.response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  to.response.end()
}

describe('a vendor that speaks this wire', () => {
  test.each([false, true])('is asked in it, and nothing is kept there (stream: %s)', async (stream) => {
    world.vendor.answer((to) => sendNative(to, [reasoning, message]))
    const holder = await world.holder()
    const body = { model: 'fake/native', stream, instructions: 'Be brief.', metadata: { a: 'b' }, extra_field: 7, temperature: 1 }
    const answer = await post(holder.secret, body)
    expect(answer.status, answer.text).toBe(200)
    const response = stream ? expectWholeStream(answer.body.toString()) : answer.json()
    expectResource(response)
    const [sent] = world.vendor.calls
    expect(sent?.path).toBe('/v1/responses')
    expect(sent?.body).toEqual({
      model: 'upstream-model',
      input: 'Hello.',
      instructions: 'Be brief.',
      extra_field: 7,
      temperature: 1,
      stream: stream === true,
      store: false,
      max_output_tokens: expect.any(Number),
      include: ['reasoning.encrypted_content'],
    })
    expect(response).toMatchObject({ model: 'fake/native', store: true, metadata: { a: 'b' }, instructions: 'Be brief.' })
    expect(response.usage).toMatchObject({ input_tokens: 100, cost: Number(COST) / 1e9 })
    expect(answer.text).not.toMatch(/resp_vendor|upstream-model|rs_v1"|msg_v3/)
    const { records } = { records: await world.records(holder.accountId, 1) }
    expect(records).toMatchObject([
      { charged: COST, input: 100n, cached: 40n, reasoning: 8n, finishReason: 'stop', estimated: false },
    ])
    expect((await get(holder.secret, response.id)).json()).toEqual(response)
    world.expectDiscreet(answer)
    await world.expectWhole(holder, 1)
  })

  test('goes on with all that was said, thoughts included', async () => {
    const { secret } = await world.holder()
    world.vendor.answer((to) => sendNative(to, [reasoning, call]))
    const first = (await post(secret, { model: 'fake/native', tools: [{ type: 'function', name: 'f' }] })).json()
    world.vendor.answer((to) => sendNative(to, [message]))
    const output = { type: 'function_call_output', call_id: 'call_v', output: 'done' }
    const answer = await post(secret, { model: 'fake/native', previous_response_id: first.id, input: [output], stream: true })
    const second = expectWholeStream(answer.body.toString())
    expect(second.previous_response_id).toBe(first.id)
    const sent = world.vendor.calls[1]?.body
    expect(sent).not.toHaveProperty('previous_response_id')
    const { id: _, ...bare } = call
    expect(sent?.input).toEqual([{ type: 'message', role: 'user', content: 'Hello.' }, reasoning, bare, output])
    await post(secret, { model: 'fake/native', previous_response_id: second.id, input: 'Thanks.' })
    const third = world.vendor.calls[2]?.body.input as Json[] | undefined
    expect(third?.map((item) => item.type)).toEqual([
      ...['message', 'reasoning', 'function_call', 'function_call_output', 'message', 'message'],
    ])
  })

  test('that fails at first is followed by one that speaks chats', async () => {
    const { secret } = await world.holder()
    world.vendor.answer((to) => {
      if (to.path === '/v1/responses') sendJson(to, { error: { message: 'no' } }, 500)
      else
        sendJson(to, {
          choices: [{ index: 0, message: { role: 'assistant', content: 'From a chat.' }, finish_reason: 'stop' }],
          usage: usageOf(1, 2),
        })
    })
    const response = (await post(secret, { model: 'fake/both' })).json()
    expectResource(response)
    expect((response.output as Json[])[0]).toMatchObject({ content: [{ text: 'From a chat.' }] })
    expect(world.vendor.calls.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/chat/completions'])
    expect(world.vendor.calls[1]?.body.messages).toEqual([{ role: 'user', content: 'Hello.' }])
  })

  test.each([
    ['an error event', { type: 'error', error: { type: 'x', code: 'insufficient_quota', message: 'pay up' } }],
    [
      'a failed response',
      { type: 'response.failed', response: resource({ status: 'failed', error: { code: 'c', message: 'pay up' } }) },
    ],
  ])('that sends %s after its first words breaks off; what came is charged', async (_name, event) => {
    world.vendor.answer((to) => {
      startStream(to)
      for (const item of [...eventsOf([message]).slice(0, 5), event]) sendEvent(to, item)
      to.response.end()
    })
    const holder = await world.holder()
    const answer = await post(holder.secret, { model: 'fake/native', stream: true })
    const { events, done } = readEvents(answer.body.toString())
    expect(done).toBe(false)
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
    expect(answer.text).not.toContain('pay up')
    const [record] = await world.records(holder.accountId, 1)
    expect(record).toMatchObject({ outcome: 'cut', estimated: true })
    expect(record?.charged).toBeGreaterThan(0n)
    expect((await get(holder.secret, (events.at(-1)?.response as Json | undefined)?.id)).status).toBe(404)
    await world.expectWhole(holder, 1)
  })

  test('that fails before its first word is a plain error, and free', async () => {
    world.vendor.answer((to) => {
      startStream(to)
      for (const item of [...eventsOf([message]).slice(0, 2), { type: 'error', error: { code: 'x' } }]) sendEvent(to, item)
      to.response.end()
    })
    const holder = await world.holder()
    const answer = await post(holder.secret, { model: 'fake/native', stream: true })
    expect([answer.status, answer.error().code]).toEqual([500, 'server_error'])
    expect(await world.records(holder.accountId, 1)).toMatchObject([{ charged: 0n, outcome: 'vendor_failed' }])
  })

  test('that counts nothing is estimated, and the count is looked up as it was told', async () => {
    world.vendor.answer((to) => sendNative(to, [message], { usage: null }))
    const { secret } = await world.holder()
    const answer = await post(secret, { model: 'fake/native', stream: true })
    const response = expectWholeStream(answer.body.toString())
    expect((response.usage as Json).output_tokens).toBeGreaterThan(0)
    expect((await get(secret, response.id)).json()).toEqual(response)
  })
})

describe('a store that takes nothing', () => {
  const without = async (work: () => Promise<void>) => {
    await world.pool.query('ALTER TABLE stored_response RENAME TO stored_elsewhere')
    try {
      await work()
    } finally {
      await world.pool.query('ALTER TABLE stored_elsewhere RENAME TO stored_response')
    }
  }

  test('refuses a whole answer, which costs nothing, and blames no vendor for it', async () => {
    world.vendor.answer((to) => sendNative(to, [message]))
    const holder = await world.holder()
    await without(async () => {
      const answer = await post(holder.secret, { model: 'fake/both' })
      expect([answer.status, answer.error().code]).toEqual([500, 'server_error'])
      world.expectDiscreet(answer)
    })
    expect(world.vendor.calls).toHaveLength(1)
    const records = await world.records(holder.accountId, 1)
    expect(records).toMatchObject([{ charged: 0n, trace: [{ result: 'answered' }] }])
    await world.expectWhole(holder, 1)
  })

  test('breaks a stream off, of which all was told; it is paid for', async () => {
    world.vendor.answer((to) => sendNative(to, [message]))
    const holder = await world.holder()
    await without(async () => {
      const { events, done } = readEvents((await post(holder.secret, { model: 'fake/both', stream: true })).body.toString())
      expect(done).toBe(false)
      expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
      expect(JSON.stringify(events.slice(-2))).toMatch(/The gateway failed after the answer was told, which is charged/)
      const records = await world.records(holder.accountId, 1)
      expect(records).toMatchObject([{ outcome: 'cut', charged: COST, trace: [{ result: 'answered' }] }])
    })
    await world.expectWhole(holder, 1)
  })

  test('changes nothing for a client that has left', async () => {
    let tell = () => {}
    const told = new Promise<void>((resolve) => {
      tell = resolve
    })
    world.vendor.answer(async (to) => {
      startStream(to)
      const events = eventsOf([message])
      for (const event of events.slice(0, 5)) sendEvent(to, event)
      await told
      for (const event of events.slice(5)) sendEvent(to, event)
      to.response.end()
    })
    const holder = await world.holder()
    await without(async () => {
      const controller = new AbortController()
      const answer = await fetch(`${world.url}/v1/responses`, {
        method: 'POST',
        headers: Object.fromEntries(headersOf(holder.secret)),
        body: JSON.stringify({ model: 'fake/native', input: 'Hello.', stream: true }),
        signal: controller.signal,
      })
      await answer.body?.getReader().read()
      controller.abort()
      await sleep(200)
      tell()
      expect(await world.records(holder.accountId, 1)).toMatchObject([{ outcome: 'client_gone', charged: COST }])
    })
    await world.expectWhole(holder, 1)
  })
})

test('what goes out is valid by OpenAI’s document', async ({ skip }) => {
  const document = loadOpenAiDocument()
  if (!document) skip('the document is absent')
  const { secret } = await world.holder()
  world.vendor.answer((to) => sendNative(to, [reasoning, message, call]))
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: true }]
  const format = { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true }
  const first = (await post(secret, { model: 'fake/native', tools, text: { format } })).json()
  const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' }
  const output = { type: 'function_call_output', call_id: 'call_v', output: [{ type: 'input_text', text: 'done' }, image] }
  // A user's message in parts is two things at once by the document, which allows one.
  const input = [output, { role: 'user', content: 'And?' }]
  await post(secret, {
    model: 'fake/native',
    tools,
    previous_response_id: first.id,
    input,
    stream: true,
    reasoning: { effort: 'low' },
  })
  expect(world.vendor.calls).toHaveLength(2)
  for (const { body } of world.vendor.calls) expect(document?.problems('CreateResponse', body)).toEqual([])
})

test('a call that has to be, of no tool, is left out in silence nowhere; a choice that asks for none is', async () => {
  const { secret } = await world.holder()
  world.vendor.answer((to) => sendJson(to, to.path.endsWith('/messages') ? claudeAnswer([claudeText('ok')]) : chatAnswer('ok')))
  for (const choice of ['required', { type: 'function', name: 'f' }]) {
    const refused = await post(secret, { model: 'fake/claude', tool_choice: choice })
    expectError(refused, { condition: 'invalid_request', param: 'tool_choice', message: /no "tools" that could be called/ })
    expect((await post(secret, { model: 'fake/chat', tool_choice: choice })).status).toBe(200)
    expect(world.vendor.calls.at(-1)?.body.tool_choice).toBeDefined()
  }
  for (const choice of ['auto', 'none', null])
    for (const model of ['fake/claude', 'fake/chat']) {
      expect((await post(secret, { model, tool_choice: choice })).status).toBe(200)
      expect(world.vendor.calls.at(-1)?.body.tool_choice).toBeUndefined()
    }
})

test.each(['fake/claude', 'fake/chat'])(
  '%s is shown no output of a tool but text: a 400 names the other, stored ones too',
  async (model) => {
    const { secret } = await world.holder()
    const outputs = [
      { type: 'input_image', image_url: 'data:image/png;base64,aGVsbG8=' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,aGVsbG8=', filename: 'a.pdf' },
    ].map((shown) => ({ type: 'function_call_output', call_id: 'call_v', output: [{ type: 'input_text', text: 'x' }, shown] }))
    const { id: _, ...bare } = call
    const custom = { type: 'custom_tool_call', call_id: 'call_v', name: 'g', input: 'x' }
    for (const output of outputs)
      for (const input of [
        [bare, output],
        [custom, { ...output, type: 'custom_tool_call_output' }],
      ]) {
        const refused = await post(secret, { model, input })
        expectError(refused, {
          condition: 'invalid_request',
          param: 'input[1].output[1]',
          message: /Send outputs of tools as text/,
        })
      }
    world.vendor.answer((to) => sendNative(to, [message]))
    const first = (await post(secret, { model: 'fake/native', input: [bare, outputs[0]] })).json()
    expect(world.vendor.calls.at(-1)?.body.input).toMatchObject([{}, { output: [{}, { type: 'input_image' }] }])
    const refused = await post(secret, { model, previous_response_id: first.id, input: 'And?' })
    expectError(refused, {
      condition: 'invalid_request',
      param: 'previous_response_id',
      message: /Send outputs of tools as text/,
    })
    expect(world.vendor.calls).toHaveLength(1)
  },
)

describe('a bridged vendor', () => {
  const thinking = { type: 'thinking', thinking: 'Let me think.', signature: 'signed-by-claude' }
  const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }
  const claude = (content: object[], stop = 'end_turn') =>
    world.vendor.answer((to) => {
      const answer = claudeAnswer(content, {}, stop)
      if (wantsStream(to)) sendEvents(to, claudeEvents(answer))
      else sendJson(to, answer)
    })

  test.each([false, true])('gets back what it signed, from the store and from the client (stream: %s)', async (stream) => {
    const { secret } = await world.holder()
    const ask = { model: 'fake/claude', stream, tools: [{ type: 'function', name: 'f' }], reasoning: { effort: 'low' } }
    const told = async (body: Json): Promise<Json> => {
      const answer = await post(secret, { ...ask, ...body })
      expect(answer.status, answer.text).toBe(200)
      return stream ? expectWholeStream(answer.body.toString()) : answer.json()
    }
    claude([thinking, claudeText('I will look.'), use], 'tool_use')
    const first = await told({ max_output_tokens: 8000 })
    expectResource(first)
    expect((first.output as Json[]).map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call'])
    claude([claudeText('Done.')])
    const output = { type: 'function_call_output', call_id: 'toolu_1', output: 'ok' }
    await told({ previous_response_id: first.id, input: [output] })
    await told({ input: [{ role: 'user', content: 'Hello.' }, ...(first.output as Json[]), output] })
    const [, stored, sent] = world.vendor.calls.map(({ body }) => body.messages as { role: string; content: Json[] }[])
    expect(stored?.[1]?.content).toMatchObject([thinking, claudeText('I will look.'), use])
    expect(sent).toEqual(stored)
  })

  test('is not given what it lacks, and the answer says what was left out', async () => {
    claude([claudeText('Hi.')])
    const { secret } = await world.holder()
    const answer = await post(secret, { model: 'fake/claude', text: { verbosity: 'low' }, presence_penalty: 1 })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.header('x-tollgate-ignored')?.split(', ').sort()).toEqual(['presence_penalty', 'text.verbosity'])
    const refused = await post(secret, { model: 'fake/claude', top_logprobs: 2 })
    expect(refused.error()).toMatchObject({ param: 'include' })
  })
})

describe('a vendor of chats', () => {
  test('that gives all calls one number has as many items as calls', async () => {
    world.vendor.answer((to) => {
      startStream(to)
      const call = (id: string, city: string) => ({ index: 0, id, type: 'function', function: { name: 'f', arguments: city } })
      const delta = (more: object, finish: string | null = null) =>
        sendEvent(to, { ...chatChunk(null), choices: [{ index: 0, delta: more, finish_reason: finish }] })
      delta({ tool_calls: [call('c1', '{"city":"Bern"}')] })
      delta({ tool_calls: [call('c2', '{"city":"Chur"}')] })
      delta({}, 'tool_calls')
      sendEvent(to, usageChunk(usageOf(100, 20)))
      sendEvent(to, '[DONE]')
      to.response.end()
    })
    const holder = await world.holder()
    const answer = await post(holder.secret, { model: 'fake/chat', stream: true })
    expect(expectWholeStream(answer.body.toString()).output).toMatchObject([
      { type: 'function_call', call_id: 'c1', arguments: '{"city":"Bern"}', status: 'completed' },
      { type: 'function_call', call_id: 'c2', arguments: '{"city":"Chur"}', status: 'completed' },
    ])
    await world.expectWhole(holder, 1)
  })

  test('streams refusals, thoughts and calls as items', async () => {
    world.vendor.answer((to) => {
      startStream(to)
      const delta = (more: object, finish: string | null = null) =>
        sendEvent(to, { ...chatChunk(null), choices: [{ index: 0, delta: more, finish_reason: finish }] })
      delta({ role: 'assistant', content: '' })
      delta({ reasoning_content: 'Hm' })
      delta({ reasoning_content: 'm.' })
      delta({ content: 'Look' })
      delta({ content: 'ing.' })
      delta({ refusal: 'Not that.' })
      delta({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }] })
      delta({
        tool_calls: [
          { index: 0, function: { arguments: '{"a"' } },
          { index: 1, id: 'c2', function: { name: 'g', arguments: '{' } },
        ],
      })
      delta({
        tool_calls: [
          { index: 1, function: { arguments: '}' } },
          { index: 0, function: { arguments: ':1}' } },
        ],
      })
      delta({}, 'tool_calls')
      sendEvent(to, usageChunk(usageOf(100, 20, { prompt_tokens_details: { cached_tokens: 40 } })))
      sendEvent(to, '[DONE]')
      to.response.end()
    })
    const holder = await world.holder()
    const answer = await post(holder.secret, { model: 'fake/chat', stream: true })
    const response = expectWholeStream(answer.body.toString())
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hmm.' }] },
      { type: 'message', content: [{ text: 'Looking.' }, { refusal: 'Not that.' }] },
      { type: 'function_call', call_id: 'c1', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
    ])
    expect(await world.records(holder.accountId, 1)).toMatchObject([{ charged: COST, finishReason: 'tool_calls' }])
    await world.expectWhole(holder, 1)
  })

  test('that is left by the client stops; what came is charged, and nothing is stored', async () => {
    world.vendor.answer((to) => {
      startStream(to)
      for (const piece of ['one', ' two']) sendEvent(to, chatChunk(piece))
    })
    const holder = await world.holder()
    const controller = new AbortController()
    const answer = await fetch(`${world.url}/v1/responses`, {
      method: 'POST',
      headers: Object.fromEntries(headersOf(holder.secret)),
      body: JSON.stringify({ model: 'fake/chat', input: 'Hello.', stream: true }),
      signal: controller.signal,
    })
    let text = ''
    for await (const bytes of answer.body ?? []) {
      text += Buffer.from(bytes).toString()
      if (text.includes(' two')) break
    }
    controller.abort()
    await world.vendor.calls[0]?.left
    expect(await world.records(holder.accountId, 1)).toMatchObject([{ outcome: 'client_gone', output: 2n, estimated: true }])
    const stored = await world.pool.query('SELECT 1 FROM stored_response WHERE account_id = $1', [holder.accountId])
    expect(stored.rowCount).toBe(0)
    await world.expectWhole(holder, 1)
  })
})

describe('a field that a vendor refuses is called as the client called it', () => {
  const MORE = { instructions: 'Be brief.', tools: [{ type: 'function', name: 'f' }] }
  const cases: [string, string, string][] = [
    ['fake/chat', 'messages[0].content', 'instructions'],
    ['fake/chat', 'messages.[1].content', 'previous_response_id'],
    ['fake/chat', 'messages[3].content', 'input[0].content'],
    ['fake/chat', 'messages', 'input'],
    ['fake/chat', 'max_tokens', 'max_output_tokens'],
    ['fake/chat', 'tools[0].function.name', 'tools[0].name'],
    ['fake/chat', 'top_p', 'top_p'],
    ['fake/native', 'input[0].content', 'previous_response_id'],
    ['fake/native', 'input[2].content[0].text', 'input[0].content[0].text'],
    ['fake/native', 'max_output_tokens', 'max_output_tokens'],
  ]
  test.each(cases)('%s: %s', async (model, named, param) => {
    const { secret } = await world.holder()
    const first = await post(secret, { model: 'sandbox/chat', input: 'One.' })
    world.vendor.answer((call) => sendJson(call, { error: { message: 'Too odd.', param: named } }, 400))
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'Two.' }] }]
    const answer = await post(secret, { model, input, previous_response_id: first.json().id, ...MORE })
    expectError(answer, { condition: 'invalid_request', param, message: /Too odd/ })
  })
})
