import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, headersOf } from '../fakes/api-world.ts'
import {
  COST,
  call,
  createResponsesClient,
  eventsOf,
  message,
  openResponsesWorld,
  reasoning,
  resource,
  sendNative,
} from '../fakes/responses-vendor.ts'
import { sendEvent, sendJson, startStream, usageOf } from '../fakes/vendor.ts'
import { expectCompleteStream, expectValidResponse, type Json, readEvents } from '../support/open-responses.ts'
import { loadOpenAiDocument } from '../support/openai-document.ts'

let world: ApiWorld
const { post, get } = createResponsesClient(() => world)

beforeAll(async () => {
  world = await openResponsesWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => {
  world.vendor.calls.length = 0
})

describe('tools that the client runs', () => {
  const call = { id: 'sh_v1', type: 'shell_call', status: 'completed', call_id: 'call_s', action: { commands: ['ls'] } }
  const output = {
    type: 'shell_call_output',
    call_id: 'call_s',
    output: [{ stdout: 'a.ts', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
  }

  test('are the vendor’s own: called, answered and continued', async () => {
    world.vendor.answer((vendorCall) => sendNative(vendorCall, [reasoning, call]))
    const holder = await world.holder()
    const ask = { model: 'fake/native', tools: [{ type: 'shell' }, { type: 'apply_patch' }] }
    const first = (await post(holder.secret, ask)).json()
    expect(first.output).toMatchObject([{}, { ...call, id: expect.stringMatching(/^sh_[0-9a-z]{26}_1$/) }])
    const continued = await post(holder.secret, { ...ask, previous_response_id: first.id, input: [output] })
    expect(continued.status, continued.text).toBe(200)
    const { id: _, ...bare } = call
    expect(world.vendor.calls[1]?.body).toMatchObject({
      tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'apply_patch' }],
      input: [{ role: 'user' }, { type: 'reasoning' }, bare, output],
    })
    expect(await world.records(holder.accountId, 2)).toMatchObject([{ finishReason: 'tool_calls' }, { charged: COST }])
  })

  test('are refused where the model is called through chats, and a deployment that has them is preferred', async () => {
    world.vendor.answer((vendorCall) => sendNative(vendorCall, [message]))
    const { secret } = await world.holder()
    for (const model of ['fake/chat', 'fake/claude']) {
      const refused = await post(secret, { model, tools: [{ type: 'shell' }] })
      expect(refused.status, refused.text).toBe(400)
      expect(refused.error()).toMatchObject({ param: 'tools[0].type' })
    }
    expect((await post(secret, { model: 'fake/both', tools: [{ type: 'shell' }] })).status).toBe(200)
    expect(world.vendor.calls.map(({ path }) => path)).toEqual(['/v1/responses'])
  })
})

describe('a vendor that speaks this wire', () => {
  test.each([false, true])('is asked in it, and nothing is kept there (stream: %s)', async (stream) => {
    world.vendor.answer((vendorCall) => sendNative(vendorCall, [reasoning, message]))
    const holder = await world.holder()
    const body = { model: 'fake/native', stream, instructions: 'Be brief.', metadata: { a: 'b' }, extra_field: 7, temperature: 1 }
    const answer = await post(holder.secret, body)
    expect(answer.status, answer.text).toBe(200)
    const response = stream ? expectCompleteStream(answer.body.toString()) : answer.json()
    expectValidResponse(response)
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
    world.expectNoLeaks(answer)
    await world.expectSettledBooks(holder, 1)
  })

  test('goes on with all that was said, thoughts included', async () => {
    const { secret } = await world.holder()
    world.vendor.answer((vendorCall) => sendNative(vendorCall, [reasoning, call]))
    const first = (await post(secret, { model: 'fake/native', tools: [{ type: 'function', name: 'f' }] })).json()
    world.vendor.answer((vendorCall) => sendNative(vendorCall, [message]))
    const output = { type: 'function_call_output', call_id: 'call_v', output: 'done' }
    const answer = await post(secret, { model: 'fake/native', previous_response_id: first.id, input: [output], stream: true })
    const second = expectCompleteStream(answer.body.toString())
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
    world.vendor.answer((vendorCall) => {
      if (vendorCall.path === '/v1/responses') sendJson(vendorCall, { error: { message: 'no' } }, 500)
      else
        sendJson(vendorCall, {
          choices: [{ index: 0, message: { role: 'assistant', content: 'From a chat.' }, finish_reason: 'stop' }],
          usage: usageOf(1, 2),
        })
    })
    const response = (await post(secret, { model: 'fake/both' })).json()
    expectValidResponse(response)
    expect((response.output as Json[])[0]).toMatchObject({ content: [{ text: 'From a chat.' }] })
    expect(world.vendor.calls.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/chat/completions'])
    expect(world.vendor.calls[1]?.body.messages).toEqual([{ role: 'user', content: 'Hello.' }])
  })

  test.each([
    ['an error event', { type: 'error', error: { type: 'x', code: 'insufficient_quota', message: 'pay up' } }],
    [
      'a failed response',
      { type: 'response.failed', response: resource({ status: 'failed', usage: null, error: { code: 'c', message: 'pay up' } }) },
    ],
  ])('that sends %s after its first words breaks off; what came is charged', async (_name, event) => {
    world.vendor.answer((vendorCall) => {
      startStream(vendorCall)
      for (const item of [...eventsOf([message]).slice(0, 5), event]) sendEvent(vendorCall, item)
      vendorCall.response.end()
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
    await world.expectSettledBooks(holder, 1)
  })

  test('that fails before its first word is a plain error, and free', async () => {
    world.vendor.answer((vendorCall) => {
      startStream(vendorCall)
      for (const item of [...eventsOf([message]).slice(0, 2), { type: 'error', error: { code: 'x' } }])
        sendEvent(vendorCall, item)
      vendorCall.response.end()
    })
    const holder = await world.holder()
    const answer = await post(holder.secret, { model: 'fake/native', stream: true })
    expect([answer.status, answer.error().code]).toEqual([500, 'server_error'])
    expect(await world.records(holder.accountId, 1)).toMatchObject([{ charged: 0n, outcome: 'vendor_failed' }])
  })

  test('that counts nothing is estimated, and the count is looked up as it was told', async () => {
    world.vendor.answer((vendorCall) => sendNative(vendorCall, [message], { usage: null }))
    const { secret } = await world.holder()
    const answer = await post(secret, { model: 'fake/native', stream: true })
    const response = expectCompleteStream(answer.body.toString())
    expect((response.usage as Json).output_tokens).toBeGreaterThan(0)
    expect((await get(secret, response.id)).json()).toEqual(response)
  })
})

describe('a store that takes nothing', () => {
  const withoutStore = async (work: () => Promise<void>) => {
    await world.pool.query('ALTER TABLE stored_response RENAME TO stored_elsewhere')
    try {
      await work()
    } finally {
      await world.pool.query('ALTER TABLE stored_elsewhere RENAME TO stored_response')
    }
  }

  test('refuses a whole answer, which costs nothing, and blames no vendor for it', async () => {
    world.vendor.answer((vendorCall) => sendNative(vendorCall, [message]))
    const holder = await world.holder()
    await withoutStore(async () => {
      const answer = await post(holder.secret, { model: 'fake/both' })
      expect([answer.status, answer.error().code]).toEqual([500, 'server_error'])
      world.expectNoLeaks(answer)
    })
    expect(world.vendor.calls).toHaveLength(1)
    const records = await world.records(holder.accountId, 1)
    expect(records).toMatchObject([{ charged: 0n, trace: [{ result: 'answered' }] }])
    await world.expectSettledBooks(holder, 1)
  })

  test('breaks a stream off, of which all was told; it is paid for', async () => {
    world.vendor.answer((vendorCall) => sendNative(vendorCall, [message]))
    const holder = await world.holder()
    await withoutStore(async () => {
      const { events, done } = readEvents((await post(holder.secret, { model: 'fake/both', stream: true })).body.toString())
      expect(done).toBe(false)
      expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
      expect(JSON.stringify(events.slice(-2))).toMatch(/The gateway failed after the answer was delivered. The answer is charged/)
      const records = await world.records(holder.accountId, 1)
      expect(records).toMatchObject([{ outcome: 'cut', charged: COST, trace: [{ result: 'answered' }] }])
    })
    await world.expectSettledBooks(holder, 1)
  })

  test('changes nothing for a client that has left', async () => {
    let releaseVendor = () => {}
    const released = new Promise<void>((resolve) => {
      releaseVendor = resolve
    })
    world.vendor.answer(async (vendorCall) => {
      startStream(vendorCall)
      const events = eventsOf([message])
      for (const event of events.slice(0, 5)) sendEvent(vendorCall, event)
      await released
      for (const event of events.slice(5)) sendEvent(vendorCall, event)
      vendorCall.response.end()
    })
    const holder = await world.holder()
    await withoutStore(async () => {
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
      releaseVendor()
      expect(await world.records(holder.accountId, 1)).toMatchObject([{ outcome: 'client_gone', charged: COST }])
    })
    await world.expectSettledBooks(holder, 1)
  })
})

test('what goes out is valid by OpenAI’s document', async ({ skip }) => {
  const document = loadOpenAiDocument()
  if (!document) skip('the document is absent')
  const { secret } = await world.holder()
  world.vendor.answer((vendorCall) => sendNative(vendorCall, [reasoning, message, call]))
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: true }]
  const format = { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true }
  const first = (await post(secret, { model: 'fake/native', tools, text: { format } })).json()
  const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' }
  const output = { type: 'function_call_output', call_id: 'call_v', output: [{ type: 'input_text', text: 'done' }, image] }
  // In OpenAI's document a user's message in parts matches two alternatives, of which only one may match.
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
  for (const { body } of world.vendor.calls) expect(document?.findProblems('CreateResponse', body)).toEqual([])
})
