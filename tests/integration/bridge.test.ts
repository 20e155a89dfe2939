import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, UPSTREAM_MODEL, VENDOR_SECRET } from '../fakes/api-world.ts'
import { createChatClient, type Json, KINDS, openBridgedWorld, readMessage, respond } from '../fakes/bridged-chats.ts'
import {
  claudeAnswer,
  claudeEvents,
  claudeText,
  geminiAnswer,
  geminiEvents,
  respondClaude,
  respondGemini,
  sendEvents,
} from '../fakes/bridged-vendors.ts'
import { type Call, sendEvent, startStream } from '../fakes/vendor.ts'
import { hangUp, respondText } from '../fakes/vendor-faults.ts'
import { eventsOf } from '../support/raw-client.ts'

let world: ApiWorld
const { sendChat, lastCall } = createChatClient(() => world)

beforeAll(async () => {
  world = await openBridgedWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())
// Whatever went wrong, no vendor's error object may be in the log: such objects hold prompts.
afterEach(() => expect(world.gateway.log()).not.toMatch(/Hello there|requestBodyValues|unhandled|ERR_UNHANDLED/i))

test.each([false, true])(
  'an image that Gemini makes reaches its client, in a chat and in a response (stream: %s)',
  async (stream) => {
    const data = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')
    world.vendor.answer(respondGemini(geminiAnswer([{ text: 'Here.' }, { inlineData: { mimeType: 'image/png', data } }])))
    const holder = await world.holder()
    const client = new OpenAI({ apiKey: holder.secret, baseURL: `${world.url}/v1` })
    const ask = { model: 'fake/google', messages: [{ role: 'user' as const, content: 'Draw a heron.' }] }
    const images: unknown[] = []
    if (stream) {
      for await (const { choices } of await client.chat.completions.create({ ...ask, stream: true }))
        images.push(...((choices[0]?.delta as Json | undefined)?.images ?? []))
    } else images.push(...((await client.chat.completions.create(ask)) as Json).choices[0].message.images)
    expect(images).toEqual([{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` }, index: 0 }])
    const asked = { model: 'fake/google', input: 'Draw a heron.' }
    const response = stream ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked)
    expect(response.output).toMatchObject([{ type: 'message' }, { type: 'image_generation_call', result: data }])
    await client.responses.create({ ...asked, previous_response_id: response.id })
    expect(lastCall().body).toMatchObject({
      contents: [
        { role: 'user' },
        { role: 'model' },
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data } }] },
        {},
      ],
    })
    await world.expectSettledBooks(holder, 3)
  },
)

describe.each(KINDS)('%s', (kind) => {
  describe.each([false, true])('stream: %s', (stream) => {
    test('text comes back in our form, from its own address, with its own credential', async () => {
      world.vendor.answer(respond[kind]('Hello back.'))
      const { answer, holder } = await sendChat(kind, stream)
      expect(answer.status, answer.text).toBe(200)
      expect(readMessage(answer, stream)).toMatchObject({
        message: { role: 'assistant', content: 'Hello back.' },
        finish: 'stop',
      })
      const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      const { path, headers, body } = lastCall()
      expect(path).toBe(kind === 'anthropic' ? '/v1/messages' : `/v1/models/${UPSTREAM_MODEL}:${action}`)
      expect(headers).toMatchObject(kind === 'anthropic' ? { 'x-api-key': VENDOR_SECRET } : { 'x-goog-api-key': VENDOR_SECRET })
      expect(JSON.stringify(body)).toContain('Hello there.')
      expect(answer.header('x-tollgate-ignored')).toBeNull()
      world.expectNoLeaks(answer)
      await world.expectSettledBooks(holder, 1)
    })

    test('is charged to the nano-dollar: input, what a cache gave and took, output with its thoughts', async () => {
      const cached = { cache_read_input_tokens: 400, cache_creation_input_tokens: 100 }
      const claude = { ...cached, input_tokens: 500, output_tokens: 77, output_tokens_details: { thinking_tokens: 70 } }
      const gemini = { promptTokenCount: 1000, cachedContentTokenCount: 400, candidatesTokenCount: 7, thoughtsTokenCount: 70 }
      world.vendor.answer(
        kind === 'anthropic'
          ? respondClaude(claudeAnswer([claudeText('x')], claude))
          : respondGemini(geminiAnswer([{ text: 'x' }], gemini)),
      )
      const { answer, holder } = await sendChat(kind, stream)
      const cacheWriteTokens = kind === 'anthropic' ? 100n : 0n
      // Per million: $1 for input, $0.10 for input from a cache, $1.25 for cache writes, $5 for output.
      const charged = (600n - cacheWriteTokens) * 1000n + 400n * 100n + cacheWriteTokens * 1250n + 77n * 5000n
      expect(await world.record(holder.accountId)).toMatchObject({
        outcome: 'finished',
        estimated: false,
        cached: 400n,
        output: 77n,
        reasoning: 70n,
        charged,
      })
      expect(readMessage(answer, stream).usage).toMatchObject({
        prompt_tokens: 1000,
        completion_tokens: 77,
        total_tokens: 1077,
        prompt_tokens_details: { cached_tokens: 400, ...(kind === 'anthropic' ? { cache_write_tokens: 100 } : {}) },
        completion_tokens_details: { reasoning_tokens: 70 },
        cost: Number(charged) / 1e9,
      })
      await world.expectSettledBooks(holder, 1)
    })

    test('tools and signed thoughts make the round trip, byte for byte', async () => {
      const signature = 'EqQBCkYIBxgCKkD+/=='
      const [input, model] = [{ city: 'Oslo' }, `fake/${kind}-thinks`]
      world.vendor.answer(
        kind === 'anthropic'
          ? respondClaude(
              claudeAnswer(
                [
                  { type: 'thinking', thinking: 'Let me see.', signature },
                  { type: 'redacted_thinking', data: 'hidden==' },
                  claudeText('I look.'),
                  { type: 'tool_use', id: 'toolu_1', name: 'weather', input },
                ],
                {},
                'tool_use',
              ),
            )
          : respondGemini(
              geminiAnswer([
                { text: 'Let me see.', thought: true },
                { text: 'I look.', thoughtSignature: 'text==' },
                { functionCall: { id: 'toolu_1', name: 'weather', args: input }, thoughtSignature: signature },
              ]),
            ),
      )
      const tools = [
        {
          type: 'function',
          function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
        },
      ]
      const { answer, holder } = await sendChat(kind, stream, { model, tools, reasoning_effort: 'low' })
      const { message, finish } = readMessage(answer, stream)
      expect(finish).toBe('tool_calls')
      expect(message).toMatchObject({ content: 'I look.', reasoning_content: 'Let me see.' })
      expect(message.tool_calls).toMatchObject([
        { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      ])
      world.vendor.answer(respond[kind]('Cold.'))
      const messages = [
        { role: 'user', content: 'Hello there.' },
        message,
        { role: 'tool', tool_call_id: 'toolu_1', content: '-4' },
      ]
      const second = await sendChat(kind, stream, { model, tools, messages, reasoning_effort: 'low' }, holder)
      expect(second.answer.status, second.answer.text).toBe(200)
      const { messages: claude, contents: gemini } = lastCall().body as { messages: Json; contents: Json }
      if (kind === 'anthropic')
        expect(claude[1].content).toEqual([
          { type: 'thinking', thinking: 'Let me see.', signature },
          { type: 'redacted_thinking', data: 'hidden==' },
          claudeText('I look.'),
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input },
        ])
      else
        expect(gemini[1].parts).toEqual([
          { text: 'I look.', thoughtSignature: 'text==' },
          { functionCall: { id: 'toolu_1', name: 'weather', args: input }, thoughtSignature: signature },
        ])
      await world.expectSettledBooks(holder, 2)
    })

    test('what it cannot use is left out and named', async () => {
      world.vendor.answer(respond[kind]('x'))
      const { answer } = await sendChat(kind, stream, { verbosity: 'low', presence_penalty: 0 })
      const expected = kind === 'anthropic' ? 'verbosity, presence_penalty' : 'verbosity'
      expect(answer.header('x-tollgate-ignored')).toBe(expected)
    })

    test('several choices run under one hold, and each is billed', async () => {
      const callsBefore = world.vendor.calls.length
      world.vendor.answer(respond[kind]('one of them'))
      const { answer, holder } = await sendChat(kind, stream, { n: 3, max_tokens: 50 })
      expect(world.vendor.calls.length - callsBefore).toBe(3)
      const record = await world.record(holder.accountId)
      expect(record).toMatchObject({ input: 30n, output: 15n, charged: 30n * 1000n + 15n * 5000n, estimated: false })
      expect(record.hold).toBeGreaterThanOrEqual(record.charged)
      const events: Json[] = stream
        ? eventsOf(answer.body)
            .slice(0, -1)
            .map((data) => JSON.parse(data))
        : [answer.json()]
      const choices = events.flatMap((event) => event.choices)
      expect(
        choices
          .filter((choice) => choice.finish_reason === 'stop')
          .map((choice) => choice.index)
          .sort(),
      ).toEqual([0, 1, 2])
      await world.expectSettledBooks(holder, 1)
    })

    test.each<[string, (call: Call) => void | Promise<void>, Parameters<typeof expectError>[1], object]>([
      [
        '401',
        respondText(
          JSON.stringify({
            error: { message: 'bad x-api-key', type: 'authentication_error', code: 401, status: 'UNAUTHENTICATED' },
          }),
          'application/json',
          401,
        ),
        { condition: 'unavailable', message: /^The model's vendor cannot answer/ },
        {},
      ],
      [
        '400',
        respondText(
          JSON.stringify({
            type: 'error',
            error: {
              type: 'invalid_request_error',
              code: 400,
              status: 'INVALID_ARGUMENT',
              message: `${UPSTREAM_MODEL} takes no such thing`,
            },
          }),
          'application/json',
          400,
        ),
        { condition: 'invalid_request', message: /says: fake\/\w+ takes no such thing/ },
        {},
      ],
      [
        '429',
        respondText(
          JSON.stringify({
            type: 'error',
            error: { type: 'rate_limit_error', code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow down' },
          }),
          'application/json',
          429,
          { 'retry-after': '7' },
        ),
        { condition: 'too_many_requests', message: /at its limit/ },
        { 'retry-after': '7' },
      ],
      [
        '500',
        respondText('<html>oops</html>', 'text/html', 500),
        { condition: 'vendor_failed', message: /^The model's vendor failed/ },
        {},
      ],
      [
        'being overloaded',
        respondText(
          JSON.stringify({ type: 'error', error: { type: 'overloaded_error', code: 503, status: 'UNAVAILABLE', message: 'x' } }),
          'application/json',
          kind === 'anthropic' ? 529 : 503,
        ),
        { condition: 'unavailable', message: /cannot answer right now/ },
        { 'retry-after': '5' },
      ],
      [
        'a redirect',
        respondText('', 'text/plain', 302, { location: 'http://127.0.0.1:1/' }),
        { condition: 'vendor_failed', message: /./ },
        {},
      ],
      ['no answer', hangUp, { condition: 'vendor_failed', message: /ended the answer early/ }, {}],
      ['an answer that is no JSON', respondText('<html>', 'application/json'), { condition: 'vendor_failed', message: /./ }, {}],
    ])('%s of the vendor costs nothing', async (_, fault, expected, headers) => {
      world.vendor.answer(fault)
      const { answer, holder } = await sendChat(kind, stream)
      expectError(answer, expected)
      for (const [name, value] of Object.entries(headers)) expect(answer.header(name)).toBe(value)
      world.expectNoLeaks(answer)
      expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
      await world.expectSettledBooks(holder, 1)
    })

    test('what cannot be carried is a 400 before money is held', async () => {
      const body = { model: `fake/${kind}`, messages: [{ role: 'user', content: 'x' }], logit_bias: { '5': 1 } }
      const request = (secret: string) => ({
        headers: [
          ['authorization', `Bearer ${secret}`],
          ['content-type', 'application/json'],
        ] as [string, string][],
        body: JSON.stringify({ ...body, stream }),
      })
      await world.expectRefused(request, { condition: 'invalid_request', param: 'logit_bias' })
    })
  })

  test('an error in mid-stream ends it as an event, and what was delivered is charged', async () => {
    const events =
      kind === 'anthropic'
        ? claudeEvents(claudeAnswer([claudeText('one two three four')]))
        : geminiEvents(geminiAnswer([{ text: 'one two three four' }, { text: 'x' }]))
    const error =
      kind === 'anthropic'
        ? { type: 'error', error: { type: 'overloaded_error', message: 'secret words' } }
        : { error: { code: 503, status: 'UNAVAILABLE', message: 'secret words' } }
    world.vendor.answer((call) => sendEvents(call, [...events.slice(0, kind === 'anthropic' ? 3 : 1), error]))
    const { answer, holder } = await sendChat(kind, true)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('one two three four')
    expect(JSON.parse(eventsOf(answer.body).at(-1) ?? '')).toMatchObject({ error: { code: 'server_error' } })
    expect(answer.text).not.toContain('secret words')
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cut', estimated: true, output: 4n })
    await world.expectSettledBooks(holder, 1)
  })

  test('an error that a stream begins with is a plain error', async () => {
    const error =
      kind === 'anthropic'
        ? { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
        : { error: { code: 503, status: 'UNAVAILABLE', message: 'Overloaded' } }
    world.vendor.answer((call) =>
      sendEvents(call, [...(kind === 'anthropic' ? claudeEvents(claudeAnswer([])).slice(0, 1) : []), error]),
    )
    const { answer, holder } = await sendChat(kind, true)
    expectError(answer, { condition: 'unavailable' })
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
  })

  test.each([
    ['ends early', (call: Call) => void call.response.end()],
    ['is cut', hangUp],
  ])('a stream that %s is an error, and no end', async (_, endStream) => {
    const events =
      kind === 'anthropic'
        ? claudeEvents(claudeAnswer([claudeText('one two')])).slice(0, 3)
        : geminiEvents(geminiAnswer([{ text: 'one two' }, { text: 'x' }])).slice(0, 1)
    world.vendor.answer((call) => {
      startStream(call)
      for (const event of events) sendEvent(call, event)
      setTimeout(() => endStream(call), 60)
    })
    const { answer, holder } = await sendChat(kind, true)
    expect(answer.text).toContain('one two')
    expect(answer.text).not.toContain('[DONE]')
    expect(JSON.parse(eventsOf(answer.body).at(-1) ?? '')).toMatchObject({ error: { code: 'server_error' } })
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cut', estimated: true })
    await world.expectSettledBooks(holder, 1)
  })

  test('a client that leaves reaches the vendor, and what it saw is charged', async () => {
    let disconnected: Promise<void> = Promise.resolve()
    const events =
      kind === 'anthropic'
        ? claudeEvents(claudeAnswer([claudeText('one two three')])).slice(0, 3)
        : geminiEvents(geminiAnswer([{ text: 'one two three' }, { text: 'x' }])).slice(0, 1)
    world.vendor.answer((call) => {
      disconnected = call.disconnected
      startStream(call)
      for (const event of events) sendEvent(call, event)
    })
    const holder = await world.holder()
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: holder.secret, maxRetries: 0 })
    const stream = await client.chat.completions.create({
      model: `fake/${kind}`,
      messages: [{ role: 'user', content: 'Hello there.' }],
      stream: true,
    })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
    await disconnected
    expect(await world.record(holder.accountId)).toMatchObject({
      outcome: 'client_gone',
      status: 499,
      estimated: true,
      output: 3n,
    })
    await world.expectSettledBooks(holder, 1)
  })

  test('an Idempotency-Key gives the first answer again, named fields included', async () => {
    world.vendor.answer(respond[kind]('once'))
    const holder = await world.holder()
    const ask = (stream: boolean) =>
      world.chat(holder.secret, { model: `fake/${kind}`, verbosity: 'low', stream }, [['idempotency-key', `${kind}-${stream}`]])
    for (const stream of [false, true]) {
      const first = await ask(stream)
      const calls = world.vendor.calls.length
      const replay = await ask(stream)
      expect(world.vendor.calls.length).toBe(calls)
      expect(replay.body).toEqual(first.body)
      expect(replay.header('x-tollgate-ignored')).toBe('verbosity')
    }
  })

  test("the official SDK's stream helper puts an answer together that it can send back", async () => {
    const signature = 'sig=='
    const input = { city: 'Oslo' }
    const thinking = { type: 'thinking', thinking: 'Hm.', signature }
    world.vendor.answer(
      kind === 'anthropic'
        ? respondClaude(claudeAnswer([thinking, { type: 'tool_use', id: 'c1', name: 'f', input }], {}, 'tool_use'))
        : respondGemini(geminiAnswer([{ functionCall: { id: 'c1', name: 'f', args: input }, thoughtSignature: signature }])),
    )
    const holder = await world.holder()
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: holder.secret, maxRetries: 0 })
    const tools = [{ type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
    const question = { role: 'user' as const, content: 'Hello there.' }
    const ask = { model: `fake/${kind}-thinks`, tools }
    const first = await client.chat.completions.stream({ ...ask, messages: [question] }).finalChatCompletion()
    const message = first.choices[0]?.message
    if (!message) throw new Error('no message')
    world.vendor.answer(respond[kind]('done'))
    const result = { role: 'tool' as const, tool_call_id: 'c1', content: 'r' }
    await client.chat.completions.create({ ...ask, messages: [question, message, result] })
    const vendorBody = JSON.stringify(lastCall().body)
    expect(vendorBody).toContain(kind === 'anthropic' ? JSON.stringify(thinking) : `"thoughtSignature":"${signature}"`)
  })
})
