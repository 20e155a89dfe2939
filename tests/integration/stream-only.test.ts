import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, headersOf, openApiWorld, UPSTREAM_MODEL, untilModelKnown } from '../fakes/api-world.ts'
import { type Call, chatAnswer, chatChunk, sendJson, usageChunk, usageOf } from '../fakes/vendor.ts'
import { hangUp, respondBytes, respondError, respondThen, streamText } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const { url: baseUrl } = world.vendor
  for (const id of ['qwq-plus', 'qvq-max', 'qwen3-omni-flash', 'qwen-plus'])
    await addModel(world.pool, { id: `fake/${id}`, baseUrl, kind: 'alibaba', upstreamModel: id })
  for (const id of ['found', 'thinking', 'other'])
    await addModel(world.pool, { id: `fake/${id}`, baseUrl, kind: 'openai-compatible', upstreamModel: UPSTREAM_MODEL })
  await untilModelKnown(world, 'fake/other')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const delta = (fields: object, finish: string | null = null, more: object = {}) => ({
  ...chatChunk(null, finish),
  choices: [{ index: 0, delta: fields, finish_reason: finish, ...more }],
})
const end = [usageChunk(usageOf(10, 7, { completion_tokens_details: { reasoning_tokens: 4 } })), '[DONE]']
const HELLO = streamText([
  delta({ role: 'assistant', content: null, reasoning_content: 'Hm' }),
  delta({ reasoning_content: '.' }),
  delta({ content: 'Hel' }, null, { logprobs: { content: [{ token: 'Hel', logprob: -1 }] } }),
  delta({ content: 'lo.' }, null, { logprobs: { content: [{ token: 'lo.', logprob: -2 }] } }),
  delta({}, 'stop'),
  ...end,
])
/** The same in a response, whose tokens always have their bytes. */
const LOGPROBS = [
  { token: 'Hel', logprob: -1, bytes: [72, 101, 108], top_logprobs: [] },
  { token: 'lo.', logprob: -2, bytes: [108, 111, 46], top_logprobs: [] },
]
const STREAM_ONLY_MESSAGE = 'This model only support stream mode, please enable the stream parameter to access the model. '
const THINKING_MESSAGE = 'parameter.enable_thinking must be set to false for non-streaming calls'

/** A vendor that only streams, and says so in these words. */
const answerOnlyStreams = (refusalMessage: string, stream = HELLO) =>
  world.vendor.answer((call: Call) =>
    call.body.stream === true
      ? respondBytes(stream)(call)
      : respondError(400, {
          code: 'invalid_parameter_error',
          param: null,
          message: refusalMessage,
          type: 'invalid_request_error',
        })(call),
  )

async function ask(path: string, body: object) {
  const holder = await world.holder()
  const before = world.vendor.calls.length
  const answer = await world.send({ path, headers: headersOf(holder.secret), body: JSON.stringify(body) })
  return { holder, answer, calls: world.vendor.calls.slice(before).map((call) => call.body) }
}
const chat = (model: string, more: object = {}) =>
  ask('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], ...more })

/** Expects a charge for 10 input and 7 output tokens, which all of these answers used. */
async function expectPaid({ holder }: Awaited<ReturnType<typeof ask>>): Promise<void> {
  expect(await world.record(holder.accountId)).toMatchObject({
    outcome: 'finished',
    status: 200,
    estimated: false,
    input: 10n,
    output: 7n,
    reasoning: 4n,
    charged: 10n * 2500n + 7n * 10_000n,
  })
  await world.expectSettledBooks(holder, 1)
}

test.each(['qwq-plus', 'qvq-max', 'qwen3-omni-flash'])(
  'a whole answer of %s is asked for as a stream, and gathered',
  async (name) => {
    answerOnlyStreams(STREAM_ONLY_MESSAGE)
    const result = await chat(`fake/${name}`, { logprobs: true })
    expect(result.calls).toEqual([expect.objectContaining({ stream: true, stream_options: { include_usage: true } })])
    expect(result.answer.status, result.answer.text).toBe(200)
    expect(result.answer.header('content-type')).toBe('application/json')
    expect(result.answer.json()).toMatchObject({
      object: 'chat.completion',
      model: `fake/${name}`,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello.', reasoning_content: 'Hm.' },
          logprobs: {
            content: [
              { token: 'Hel', logprob: -1, top_logprobs: [] },
              { token: 'lo.', logprob: -2, top_logprobs: [] },
            ],
          },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 4 } },
    })
    await expectPaid(result)
  },
)

test('others of the same vendor are asked as ever', async () => {
  world.vendor.answer((call) => sendJson(call, chatAnswer('ok')))
  const { answer, calls } = await chat('fake/qwen-plus')
  expect(answer.status).toBe(200)
  expect(calls).toEqual([expect.not.objectContaining({ stream: true })])
})

test.each([
  ['found', STREAM_ONLY_MESSAGE],
  ['thinking', `<400> InternalError.Algo.InvalidParameter: ${THINKING_MESSAGE}`],
])('what a vendor says of %s is found out once, and remembered', async (name, refusalMessage) => {
  answerOnlyStreams(refusalMessage)
  const first = await chat(`fake/${name}`)
  expect(first.answer.status, first.answer.text).toBe(200)
  expect(first.calls.map(({ stream }) => stream)).toEqual([undefined, true])
  await expectPaid(first)
  const second = await chat(`fake/${name}`, { stream: false })
  expect(second.calls.map(({ stream }) => stream)).toEqual([true])
  await expectPaid(second)
})

test('a refusal of another kind stays one, also where it quotes such words', async () => {
  answerOnlyStreams(`The message "${STREAM_ONLY_MESSAGE}" is too short`)
  const { answer, calls, holder } = await chat('fake/other')
  expectError(answer, { condition: 'invalid_request', message: /is too short/ })
  expect(calls.length).toBe(1)
  await world.expectSettledBooks(holder, 1)
})

test('calls of tools are put together, numbered and named', async () => {
  const call = (fields: object) => delta({ tool_calls: [fields] })
  answerOnlyStreams(
    STREAM_ONLY_MESSAGE,
    streamText([
      call({ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }),
      call({ index: 0, function: { arguments: '{"a":' } }),
      call({ index: 0, function: { arguments: '1}' } }),
      call({ index: 1, type: 'function', function: { name: 'g', arguments: '{}' } }),
      delta({}, 'stop'),
      ...end,
    ]),
  )
  const result = await chat('fake/qwq-plus')
  const [choice] = (result.answer.json() as { choices: { finish_reason: string; message: object }[] }).choices
  expect(choice).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
        { id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    },
  })
  await expectPaid(result)
})

test.each([
  ['is kept', () => undefined],
  ['is reset', hangUp],
])('an answer is whole with its last event, where the connection %s behind that', async (_, then) => {
  world.vendor.answer(async (call) => {
    call.response.writeHead(200, { 'content-type': 'text/event-stream' })
    await new Promise((sent) => call.response.write(HELLO, sent))
    await sleep(50)
    then(call)
  })
  const begunMs = performance.now()
  const result = await chat('fake/qwq-plus')
  expect(result.answer.status, result.answer.text).toBe(200)
  expect(result.answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello.' } }] })
  // Far less than the timeout for a silent vendor.
  expect(performance.now() - begunMs).toBeLessThan(15_000)
  await expectPaid(result)
})

describe('what is asked as a chat', () => {
  test('a response', async () => {
    answerOnlyStreams(STREAM_ONLY_MESSAGE)
    const result = await ask('/v1/responses', { model: 'fake/qwq-plus', input: 'Hi', store: false })
    expect(result.answer.status, result.answer.text).toBe(200)
    expect(result.answer.json()).toMatchObject({
      status: 'completed',
      output: [
        { type: 'reasoning' },
        { type: 'message', content: [{ type: 'output_text', text: 'Hello.', logprobs: LOGPROBS }] },
      ],
    })
    await expectPaid(result)
  })

  test('a completion', async () => {
    answerOnlyStreams(STREAM_ONLY_MESSAGE)
    const result = await ask('/v1/completions', { model: 'fake/qwq-plus', prompt: 'Hi' })
    expect(result.answer.status, result.answer.text).toBe(200)
    expect(result.answer.json()).toMatchObject({ choices: [{ text: 'Hello.', finish_reason: 'stop' }] })
    await expectPaid(result)
  })
})

describe('a stream that is no answer is none as a whole either, and costs nothing', () => {
  test.each([
    ['one that breaks off', respondThen(['Hel'], hangUp)],
    ['one that ends before its end', respondBytes(streamText([delta({ role: 'assistant', content: 'Hel' })]))],
    ['one that fails on its way', respondBytes(streamText([delta({ content: 'Hel' }), { error: { message: 'x', code: 'y' } }]))],
    ['one with a role alone', respondBytes(streamText([delta({ role: 'assistant', content: '' }), ...end]))],
  ])('%s', async (_, handler) => {
    world.vendor.answer(handler)
    const { answer, holder } = await chat('fake/qwq-plus')
    expectError(answer, { condition: 'vendor_failed' })
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
    await world.expectSettledBooks(holder, 1)
  })
})
