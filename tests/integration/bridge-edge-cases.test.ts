import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, expectError, UPSTREAM_MODEL, untilModelKnown } from '../fakes/api-world.ts'
import { createChatClient, type Kind, openBridgedWorld, readMessage, respond, UNITS } from '../fakes/bridged-chats.ts'
import { claudeAnswer, claudeEvents, claudeText, geminiAnswer, respondGemini, sendEvents } from '../fakes/bridged-vendors.ts'
import { type Call, chatAnswer, sendEvent, sendJson, sendStream, startStream } from '../fakes/vendor.ts'
import { addModel } from '../support/fixtures.ts'

let world: ApiWorld
const { sendChat, lastCall } = createChatClient(() => world)

beforeAll(async () => {
  world = await openBridgedWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())
// Whatever went wrong, no vendor's error object may be in the log: such objects hold prompts.
afterEach(() => expect(world.gateway.log()).not.toMatch(/Hello there|requestBodyValues|unhandled|ERR_UNHANDLED/i))

test.each([false, true])(
  'a prompt that Google blocks ends with content_filter, and is charged as it bills it (stream: %s)',
  async (stream) => {
    const blocked = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
    }
    world.vendor.answer((call) => (stream ? sendEvents(call, [blocked]) : sendJson(call, blocked)))
    const { answer, holder } = await sendChat('google', stream)
    expect(readMessage(answer, stream)).toMatchObject({ finish: 'content_filter', message: { content: '' } })
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', estimated: false, charged: 10_000n })
    await world.expectSettledBooks(holder, 1)
  },
)

test.each([false, true])('an answer of Google without any candidate is none, and costs nothing (stream: %s)', async (stream) => {
  const empty = { candidates: [], usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 } }
  world.vendor.answer((call) => (stream ? sendEvents(call, [empty]) : sendJson(call, empty)))
  const { answer, holder } = await sendChat('google', stream)
  expectError(answer, { condition: 'vendor_failed' })
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
  await world.expectSettledBooks(holder, 1)
})

test('a package that goes on with a second request is stopped: the vendor would bill the input again', async () => {
  const unfinished = geminiAnswer([{ text: 'half an answer' }], {}, 'CONTINUATION')
  Object.assign(unfinished.candidates[0] ?? {}, { continuationToken: 'token' })
  world.vendor.answer(respondGemini(unfinished))
  for (const stream of [false, true]) {
    const callsBefore = world.vendor.calls.length
    const { answer, holder } = await sendChat('google', stream)
    expect(world.vendor.calls.length - callsBefore).toBe(1)
    expect(answer.text).toContain('server_error')
    const record = await world.record(holder.accountId)
    // A non-streaming answer was never delivered. Of a stream, what was delivered is charged.
    expect(record).toMatchObject(stream ? { outcome: 'cut', output: 3n } : { outcome: 'vendor_failed', charged: 0n })
    await world.expectSettledBooks(holder, 1)
  }
})

test('a client that leaves eight choices ends eight calls, and nothing else', async () => {
  const disconnects: Promise<void>[] = []
  world.vendor.answer((call) => {
    disconnects.push(call.disconnected)
    startStream(call)
    for (const event of claudeEvents(claudeAnswer([claudeText('one two three')])).slice(0, 3)) sendEvent(call, event)
  })
  const holder = await world.holder()
  const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: holder.secret, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hello there.' }]
  const stream = await client.chat.completions.create({ model: 'fake/anthropic', messages, stream: true, n: 8, max_tokens: 50 })
  const seen = new Set<number>()
  for await (const chunk of stream) {
    for (const choice of chunk.choices) seen.add(choice.index)
    if (seen.size === 8) break
  }
  await Promise.all(disconnects)
  expect(disconnects.length).toBe(8)
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'client_gone', estimated: true, output: 24n })
  expect(world.gateway.log()).not.toContain('MaxListeners')
  await world.expectSettledBooks(holder, 1)
})

test('a model that hides its thoughts is read to its end when its client leaves, and charged by its usage', async () => {
  const capabilities = ['hidden-reasoning']
  const model = { id: 'fake/hidden', kind: 'anthropic' as const, baseUrl: world.vendor.url, units: UNITS, capabilities }
  await addModel(world.pool, model)
  await untilModelKnown(world, 'fake/hidden')
  let end = () => {}
  world.vendor.answer((call) => {
    const events = claudeEvents(claudeAnswer([claudeText('seen')], { output_tokens: 900 }))
    startStream(call)
    for (const event of events.slice(0, 3)) sendEvent(call, event)
    end = () => {
      for (const event of events.slice(3)) sendEvent(call, event)
      call.response.end()
    }
  })
  const holder = await world.holder()
  const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: holder.secret, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hello there.' }]
  const stream = await client.chat.completions.create({ model: 'fake/hidden', messages, stream: true })
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
  // Until the gateway has heard of it.
  await sleep(300)
  end()
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'client_gone', estimated: false, output: 900n })
  await world.expectSettledBooks(holder, 1)
})

test('thinking asks for no more than is held, whatever the package adds', async () => {
  world.vendor.answer(respond.anthropic('x'))
  const { holder } = await sendChat('anthropic', false, {
    model: 'fake/anthropic-thinks',
    max_tokens: 3000,
    reasoning_effort: 'high',
  })
  expect(lastCall().body).toMatchObject({ max_tokens: 3000, thinking: { type: 'enabled', budget_tokens: 2400 } })
  // Output at $5 per million, and an input bound of the request's size and what tools would add.
  expect((await world.record(holder.accountId)).hold).toBeLessThan(3000n * 5000n + 3000n * 1250n)
})

test.each<[string, object, string]>([
  [
    'a spent account',
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the Anthropic API.' },
    },
    'anthropic',
  ],
  [
    'a bad key',
    {
      error: {
        code: 400,
        message: 'API key not valid.',
        status: 'INVALID_ARGUMENT',
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
      },
    },
    'google',
  ],
  [
    'a wrong region',
    { error: { code: 400, message: 'User location is not supported for the API use.', status: 'FAILED_PRECONDITION' } },
    'google',
  ],
])('%s at the vendor is no mistake of the caller, though the vendor says 400', async (_, body, kind) => {
  world.vendor.answer((call) => sendJson(call, body, 400))
  const { answer } = await sendChat(kind as Kind, false)
  expectError(answer, { condition: 'unavailable', message: /cannot answer right now/ })
})

test('a model that another vendor has too is answered by the one that can', async () => {
  const forwardedDeployment = await world.pool.query(`SELECT connection_id FROM deployment WHERE model_id = 'fake/chat'`)
  await world.pool.query(
    `INSERT INTO deployment (id, model_id, connection_id, upstream_model, priority) VALUES ('dep_both', 'fake/anthropic', $1, $2, 5)`,
    [forwardedDeployment.rows[0].connection_id, UPSTREAM_MODEL],
  )
  await world.pool.query(`INSERT INTO change (topic, ref) VALUES ('catalog', 'both')`)
  await world.pool.query(`SELECT pg_notify('tollgate_change', 'catalog:both')`)
  world.vendor.answer((call) =>
    sendJson(call, call.path.endsWith('/messages') ? claudeAnswer([claudeText('bridged')]) : chatAnswer('forwarded')),
  )
  const logprobsBody = { logprobs: true }
  await expect.poll(async () => (await sendChat('anthropic', false, logprobsBody)).answer.status).toBe(200)
  expect(readMessage((await sendChat('anthropic', false, logprobsBody)).answer, false).message.content).toBe('forwarded')
  expect(readMessage((await sendChat('anthropic', false)).answer, false).message.content).toBe('bridged')
  // If the bridged deployment fails before it has said anything, the other one answers.
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const openings = [
    (call: Call) => sendJson(call, overloaded, 529),
    (call: Call) => sendEvents(call, [...claudeEvents(claudeAnswer([])).slice(0, 1), overloaded]),
  ]
  for (const [index, opening] of openings.entries()) {
    const stream = index === 1
    world.vendor.answer((call) => {
      if (call.path.endsWith('/messages')) return opening(call)
      if (stream) return sendStream(call, ['forwarded'])
      sendJson(call, chatAnswer('forwarded'))
    })
    const { answer, holder } = await sendChat('anthropic', stream)
    expect(readMessage(answer, stream).message.content).toBe('forwarded')
    const { trace } = await world.record(holder.accountId)
    expect(trace.map(({ result, status }) => [result, status])).toEqual([
      ['failed', 503],
      ['answered', 200],
    ])
    await world.expectSettledBooks(holder, 1)
  }
})

test.each([
  ['MALFORMED_FUNCTION_CALL', true],
  ['MALFORMED_FUNCTION_CALL', false],
  ['TOO_MANY_TOOL_CALLS', true],
  ['OTHER', false],
])('what Gemini could not write, because of %s, is no answer, and costs nothing (stream: %s)', async (reason, stream) => {
  world.vendor.answer(respondGemini(geminiAnswer([{ text: '' }], {}, reason)))
  const { answer, holder } = await sendChat('google', stream)
  expectError(answer, { condition: 'vendor_failed' })
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
  await world.expectSettledBooks(holder, 1)
})
