import OpenAI from 'openai'
import type { ResponseOutputItem } from 'openai/resources/responses/responses'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, headersOf } from '../fakes/api-world.ts'
import { claudeAnswer, claudeEvents, claudeText, sendEvents, wantsStream } from '../fakes/bridged-vendors.ts'
import { COST, call, createResponsesClient, message, openResponsesWorld, sendNative } from '../fakes/responses-vendor.ts'
import { chatAnswer, chatChunk, sendEvent, sendJson, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { expectCompleteStream, expectValidResponse, type Json } from '../support/open-responses.ts'

let world: ApiWorld
const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='
const { post } = createResponsesClient(() => world)

beforeAll(async () => {
  world = await openResponsesWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => {
  world.vendor.calls.length = 0
})

test('a call that has to be, of no tool, is left out in silence nowhere; a choice that asks for none is', async () => {
  const { secret } = await world.holder()
  world.vendor.answer((vendorCall) =>
    sendJson(vendorCall, vendorCall.path.endsWith('/messages') ? claudeAnswer([claudeText('ok')]) : chatAnswer('ok')),
  )
  for (const choice of ['required', { type: 'function', name: 'f' }]) {
    const refused = await post(secret, { model: 'fake/claude', tool_choice: choice })
    expectError(refused, { condition: 'invalid_request', param: 'tool_choice', message: /no "tools" to call/ })
    expect((await post(secret, { model: 'fake/chat', tool_choice: choice })).status).toBe(200)
    expect(world.vendor.calls.at(-1)?.body.tool_choice).toBeDefined()
  }
  for (const choice of ['auto', 'none', null])
    for (const model of ['fake/claude', 'fake/chat']) {
      expect((await post(secret, { model, tool_choice: choice })).status).toBe(200)
      expect(world.vendor.calls.at(-1)?.body.tool_choice).toBeUndefined()
    }
})

test('an image that a tool returned is shown to every model after the outputs, also if it was stored', async () => {
  const { secret } = await world.holder()
  const image = { type: 'input_image', image_url: PIXEL }
  const output = { type: 'function_call_output', call_id: 'call_v', output: [{ type: 'input_text', text: 'x' }, image] }
  const { id: _, ...bare } = call
  world.vendor.answer((vendorCall) => sendNative(vendorCall, [message]))
  const first = (await post(secret, { model: 'fake/native', input: [bare, output] })).json()
  expect(world.vendor.calls.at(-1)?.body.input).toMatchObject([{}, { output: [{}, { type: 'input_image' }] }])
  const said = /besides text follows/
  const custom = { type: 'custom_tool_call', call_id: 'call_v', name: 'g', input: 'x' }
  for (const continued of [
    { input: [bare, output] },
    { input: [custom, { ...output, type: 'custom_tool_call_output' }] },
    { previous_response_id: first.id, input: 'And?' },
  ]) {
    const rest = 'previous_response_id' in continued ? [{ role: 'assistant' }, { role: 'user' }] : []
    world.vendor.answer((vendorCall) => sendJson(vendorCall, chatAnswer('ok')))
    expect((await post(secret, { model: 'fake/chat', ...continued })).status).toBe(200)
    expect(world.vendor.calls.at(-1)?.body.messages).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', content: expect.stringMatching(said) },
      { role: 'user', content: [{ type: 'text' }, { type: 'image_url', image_url: { url: PIXEL } }] },
      ...rest,
    ])
    world.vendor.answer((vendorCall) => sendJson(vendorCall, claudeAnswer([claudeText('ok')])))
    expect((await post(secret, { model: 'fake/claude', ...continued })).status).toBe(200)
    expect(world.vendor.calls.at(-1)?.body.messages).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use' }] },
      { role: 'user', content: [{ type: 'tool_result' }, { type: 'text' }, { type: 'image' }] },
      ...rest,
    ])
  }
})

describe('a bridged vendor', () => {
  const thinking = { type: 'thinking', thinking: 'Let me think.', signature: 'signed-by-claude' }
  const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }
  const claude = (content: object[], stop = 'end_turn') =>
    world.vendor.answer((vendorCall) => {
      const answer = claudeAnswer(content, {}, stop)
      if (wantsStream(vendorCall)) sendEvents(vendorCall, claudeEvents(answer))
      else sendJson(vendorCall, answer)
    })

  test.each([false, true])('gets back what it signed, from the store and from the client (stream: %s)', async (stream) => {
    const { secret } = await world.holder()
    const ask = { model: 'fake/claude', stream, tools: [{ type: 'function', name: 'f' }], reasoning: { effort: 'low' } }
    const requestResponse = async (body: Json): Promise<Json> => {
      const answer = await post(secret, { ...ask, ...body })
      expect(answer.status, answer.text).toBe(200)
      return stream ? expectCompleteStream(answer.body.toString()) : answer.json()
    }
    claude([thinking, claudeText('I will look.'), use], 'tool_use')
    const first = await requestResponse({ max_output_tokens: 8000 })
    expectValidResponse(first)
    expect((first.output as Json[]).map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call'])
    claude([claudeText('Done.')])
    const output = { type: 'function_call_output', call_id: 'toolu_1', output: 'ok' }
    await requestResponse({ previous_response_id: first.id, input: [output] })
    await requestResponse({ input: [{ role: 'user', content: 'Hello.' }, ...(first.output as Json[]), output] })
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
    expect(refused.error()).toMatchObject({ param: 'top_logprobs', message: expect.stringContaining('"top_logprobs"') })
  })
})

describe('a vendor of chats', () => {
  test('that gives all calls one number has as many items as calls', async () => {
    world.vendor.answer((vendorCall) => {
      startStream(vendorCall)
      const call = (id: string, city: string) => ({ index: 0, id, type: 'function', function: { name: 'f', arguments: city } })
      const delta = (more: object, finish: string | null = null) =>
        sendEvent(vendorCall, { ...chatChunk(null), choices: [{ index: 0, delta: more, finish_reason: finish }] })
      delta({ tool_calls: [call('c1', '{"city":"Bern"}')] })
      delta({ tool_calls: [call('c2', '{"city":"Chur"}')] })
      delta({}, 'tool_calls')
      sendEvent(vendorCall, usageChunk(usageOf(100, 20)))
      sendEvent(vendorCall, '[DONE]')
      vendorCall.response.end()
    })
    const holder = await world.holder()
    const answer = await post(holder.secret, { model: 'fake/chat', stream: true })
    expect(expectCompleteStream(answer.body.toString()).output).toMatchObject([
      { type: 'function_call', call_id: 'c1', arguments: '{"city":"Bern"}', status: 'completed' },
      { type: 'function_call', call_id: 'c2', arguments: '{"city":"Chur"}', status: 'completed' },
    ])
    await world.expectSettledBooks(holder, 1)
  })

  test.each([false, true])(
    'that makes an image: it is an item, and is shown again when it comes back (stream: %s)',
    async (stream) => {
      const base64 = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')
      const url = `data:image/png;base64,${base64}`
      const images = [{ type: 'image_url', image_url: { url }, index: 0 }]
      world.vendor.answer((vendorCall) => {
        const answer = chatAnswer('Here it is.')
        const [choice] = answer.choices as { message: object }[]
        if (vendorCall.body.stream !== true) {
          sendJson(vendorCall, { ...answer, choices: [{ ...choice, message: { ...choice?.message, images } }] })
          return
        }
        startStream(vendorCall)
        sendEvent(vendorCall, chatChunk('Here it is.'))
        sendEvent(vendorCall, { ...chatChunk(null), choices: [{ index: 0, delta: { images }, finish_reason: null }] })
        sendEvent(vendorCall, chatChunk(null, 'stop'))
        sendEvent(vendorCall, usageChunk(usageOf(100, 20)))
        sendEvent(vendorCall, '[DONE]')
        vendorCall.response.end()
      })
      const holder = await world.holder()
      const client = new OpenAI({ apiKey: holder.secret, baseURL: `${world.url}/v1` }).responses
      const ask = { model: 'fake/chat', input: 'Draw a heron.' }
      const events: string[] = []
      const drawn = stream
        ? await client
            .stream(ask)
            .on('event', ({ type }) => void events.push(type))
            .finalResponse()
        : await client.create(ask)
      expect(drawn.output_text).toBe('Here it is.')
      const items: ResponseOutputItem[] = drawn.output
      const item = items.find((one) => one.type === 'image_generation_call')
      if (!item) throw new Error('there is no image')
      expect(item).toEqual({
        id: expect.stringMatching(/^ig_[0-9a-z]{26}_1$/),
        type: 'image_generation_call',
        status: 'completed',
        result: base64,
        output_format: 'png',
      })
      const expected = ['in_progress', 'generating', 'completed'].map((state) => `response.image_generation_call.${state}`)
      expect(events.filter((type) => type.includes('image_generation_call'))).toEqual(stream ? expected : [])
      // Sent back, continued, and by its id.
      const question = { role: 'user' as const, content: 'Now at night.' }
      await client.create({ model: 'fake/chat', input: [question, item, question] })
      await client.create({ model: 'fake/chat', input: [question], previous_response_id: drawn.id })
      await client.create({ model: 'fake/chat', input: [{ type: 'item_reference', id: item.id }, question] })
      const shown = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] }
      const [, sent, continued, referred] = world.vendor.calls.map(({ body }) => body.messages)
      expect(sent).toEqual([question, shown, question])
      expect(continued).toEqual([
        { role: 'user', content: ask.input },
        { role: 'assistant', content: 'Here it is.' },
        shown,
        question,
      ])
      expect(referred).toEqual([shown, question])
      await world.expectSettledBooks(holder, 4)
    },
  )

  test('streams refusals, thoughts and calls as items', async () => {
    world.vendor.answer((vendorCall) => {
      startStream(vendorCall)
      const delta = (more: object, finish: string | null = null) =>
        sendEvent(vendorCall, { ...chatChunk(null), choices: [{ index: 0, delta: more, finish_reason: finish }] })
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
      sendEvent(vendorCall, usageChunk(usageOf(100, 20, { prompt_tokens_details: { cached_tokens: 40 } })))
      sendEvent(vendorCall, '[DONE]')
      vendorCall.response.end()
    })
    const holder = await world.holder()
    const answer = await post(holder.secret, { model: 'fake/chat', stream: true })
    const response = expectCompleteStream(answer.body.toString())
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hmm.' }] },
      { type: 'message', content: [{ text: 'Looking.' }, { refusal: 'Not that.' }] },
      { type: 'function_call', call_id: 'c1', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
    ])
    expect(await world.records(holder.accountId, 1)).toMatchObject([{ charged: COST, finishReason: 'tool_calls' }])
    await world.expectSettledBooks(holder, 1)
  })

  test('that is left by the client stops; what came is charged, and nothing is stored', async () => {
    world.vendor.answer((vendorCall) => {
      startStream(vendorCall)
      for (const piece of ['one', ' two']) sendEvent(vendorCall, chatChunk(piece))
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
    await world.vendor.calls[0]?.disconnected
    expect(await world.records(holder.accountId, 1)).toMatchObject([{ outcome: 'client_gone', output: 2n, estimated: true }])
    const stored = await world.pool.query('SELECT 1 FROM stored_response WHERE account_id = $1', [holder.accountId])
    expect(stored.rowCount).toBe(0)
    await world.expectSettledBooks(holder, 1)
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
