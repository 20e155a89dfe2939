import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { formBody } from '../fakes/form-body.ts'
import { wavOf } from '../fakes/wav.ts'
import { addModel } from '../support/fixtures.ts'
import { historyOf } from '../support/history.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const small = { contextWindow: 1000, maxOutput: 500 }
  await addModel(world.pool, { id: 'fake/small', baseUrl: world.vendor.url, ...small })
  await addModel(world.pool, { id: 'fake/claude', kind: 'anthropic', secret: 'x', baseUrl: world.vendor.url })
  await untilModelKnown(world, 'fake/claude')
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Expects a refusal of a body that is one field away from a good one. A string is JSON that JavaScript cannot write. */
const expectRefusal = (body: object | string, param: string | null, message?: RegExp) =>
  world.expectRefused(
    (secret) => ({ headers: headersOf(secret), body: typeof body === 'string' ? body : JSON.stringify(chatBody(body)) }),
    { condition: 'invalid_request', param, ...(message ? { message } : {}) },
  )

/** Values that each field cannot have. */
const INVALID_TYPES: Record<string, unknown[]> = {
  model: [undefined, null, 1, '', ['fake/chat'], {}, 'x'.repeat(201)],
  messages: [undefined, null, 'Hello', {}, 5],
  temperature: ['1', true, [], {}],
  top_p: ['0.5', false, {}],
  n: ['2', 0, -1, 1.5, 129, true],
  stream: ['true', 'false', 1, 0, [], {}],
  stop: [5, {}, Array.from({ length: 17 }, () => 'x')],
  max_tokens: ['10', 0, -1, 1.5, 1e12, true, [], {}],
  max_completion_tokens: ['10', 0, -1, 1.5, 1e12, true],
  presence_penalty: ['1', 2.1, -2.1],
  frequency_penalty: [{}, 2.1, -2.1],
  logit_bias: ['x', [1], 5],
  logprobs: ['yes', 1],
  top_logprobs: ['5', -1, 21, 1.5],
  seed: ['7', 1.5],
  user: [5, {}],
  tools: ['x', {}, Array.from({ length: 257 }, () => ({ type: 'function', function: { name: 'f' } }))],
  tool_choice: [5, true, 'sometimes', []],
  parallel_tool_calls: ['true', 1],
  response_format: ['json', 5, []],
  reasoning_effort: [5, {}, 'x'.repeat(33)],
  verbosity: [5, {}],
  modalities: ['text', 5],
  functions: ['f', {}],
  store: ['true', 1],
  metadata: ['x', 5, []],
}

describe.each(Object.entries(INVALID_TYPES))('the field %s', (field, values) => {
  test.each(values.map((value) => [JSON.stringify(value)?.slice(0, 30) ?? 'nothing', value]))('is not %s', async (_, value) => {
    await expectRefusal({ [field]: value }, field)
  })
})

describe('a number', () => {
  test.each([
    ['temperature', '2.1'],
    ['temperature', '-0.1'],
    ['temperature', '1e999'],
    ['top_p', '1.5'],
    ['top_p', '-0.01'],
    ['max_tokens', '1e400'],
    ['max_tokens', '99999999999999999999'],
    ['seed', '99999999999999999999'],
  ])('%s is not %s', async (field, literal) => {
    await expectRefusal(`{"model":"fake/chat","messages":[{"role":"user","content":"x"}],"${field}":${literal}}`, field)
  })

  test.each(['NaN', 'Infinity', '-Infinity', '0x10', '01', '.5', '+1'])('is not %s, because JSON has none', async (literal) => {
    const body = `{"model":"fake/chat","messages":[{"role":"user","content":"x"}],"temperature":${literal}}`
    await expectRefusal(body, null, /not valid JSON/)
  })
})

describe('a name of the sender\u2019s own', () => {
  const long = 'n'.repeat(100_000)
  const chatFields = '"model":"fake/chat","messages":[{"role":"user","content":"x"}]'
  const cases: [string, string, string][] = [
    ['in metadata', `{${chatFields},"metadata":{"${long}":5}}`, `metadata.${'n'.repeat(64)}`],
    ['of a number that is too large', `{${chatFields},"${long}":1e400}`, 'n'.repeat(64)],
    ['that stands twice', `{${chatFields},"${long}":1,"${long}":2}`, 'n'.repeat(64)],
  ]
  test.each(cases)('%s is told at no great length', async (_, body, param) => {
    const answer = await world.expectRefused((secret) => ({ headers: headersOf(secret), body }), {
      condition: 'invalid_request',
      param,
    })
    expect(answer.body.length).toBeLessThan(600)
  })
})

describe('messages', () => {
  const message = (item: unknown) => ({ messages: [item] })
  const cases: [string, object, string][] = [
    ['are not none', { messages: [] }, 'messages'],
    ['are not too many', { messages: Array.from({ length: 10_001 }, () => ({ role: 'user', content: 'x' })) }, 'messages'],
    ['are not text', message('Hello'), 'messages[0]'],
    ['are not null', message(null), 'messages[0]'],
    ['have a role', message({ content: 'x' }), 'messages[0].role'],
    ['have a known role', message({ role: 'root', content: 'x' }), 'messages[0].role'],
    ['have one role', message({ role: ['user'], content: 'x' }), 'messages[0].role'],
    ['have content', message({ role: 'user' }), 'messages[0].content'],
    ['have content that is not null', message({ role: 'user', content: null }), 'messages[0].content'],
    ['have content that is no number', message({ role: 'user', content: 5 }), 'messages[0].content'],
    ['have content that is no object', message({ role: 'user', content: { type: 'text', text: 'x' } }), 'messages[0].content'],
    ['have content with parts', message({ role: 'user', content: [] }), 'messages[0].content'],
    ['have parts with a type', message({ role: 'user', content: [{ text: 'x' }] }), 'messages[0].content[0].type'],
    ['have parts of a known type', message({ role: 'user', content: [{ type: 'hologram' }] }), 'messages[0].content[0].type'],
    ['have text parts with text', message({ role: 'user', content: [{ type: 'text' }] }), 'messages[0].content[0].text'],
    [
      'have images with an address',
      message({ role: 'user', content: [{ type: 'image_url', image_url: {} }] }),
      'messages[0].content[0].image_url.url',
    ],
    [
      'have images that are objects',
      message({ role: 'user', content: [{ type: 'image_url', image_url: 'https://example.com/a.png' }] }),
      'messages[0].content[0].image_url',
    ],
    [
      'have images that lie somewhere',
      message({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }),
      'messages[0].content[0].image_url.url',
    ],
    [
      'name the second of them where it is at fault',
      {
        messages: [
          { role: 'system', content: 'x' },
          { role: 'user', content: [{ type: 'text', text: 5 }] },
        ],
      },
      'messages[1].content[0].text',
    ],
    ['of an assistant say or call something', message({ role: 'assistant' }), 'messages[0].content'],
    ['of a tool name its call', message({ role: 'tool', content: 'x' }), 'messages[0].tool_call_id'],
    [
      'of an assistant call with arguments as text',
      message({ role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: {} } }] }),
      'messages[0].tool_calls[0].function.arguments',
    ],
  ]
  test.each(cases)('%s', async (_, body, param) => {
    await expectRefusal(body, param)
  })
})

const TOOL = { type: 'function', function: { name: 'f' } }
const allowedTools = (allowed_tools: unknown) => ({ tools: [TOOL], tool_choice: { type: 'allowed_tools', allowed_tools } })

describe.each(['fake/chat', 'fake/claude'])('a choice of tools for %s', (model) => {
  const cases: [string, object, string][] = [
    ['of no type', { tool_choice: { function: { name: 'f' } } }, 'tool_choice.type'],
    ['whose function is text', { tools: [TOOL], tool_choice: { type: 'function', function: 'f' } }, 'tool_choice.function'],
    ['whose function has no name', { tools: [TOOL], tool_choice: { ...TOOL, function: {} } }, 'tool_choice.function.name'],
    ['among what is no list', allowedTools({ mode: 'auto', tools: 'f' }), 'tool_choice.allowed_tools.tools'],
    ['among nothing', allowedTools({ mode: 'auto' }), 'tool_choice.allowed_tools.tools'],
    ['among what is no tool', allowedTools({ mode: 'auto', tools: [null] }), 'tool_choice.allowed_tools.tools[0]'],
    ['in a mode unknown', allowedTools({ mode: 'perhaps', tools: [TOOL] }), 'tool_choice.allowed_tools.mode'],
  ]
  test.each(cases)('%s', async (_, body, param) => {
    await expectRefusal({ model, ...body }, param)
  })
})

describe('more than one field', () => {
  const cases: [string, object, string][] = [
    ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options'],
    ['stream_options with stream false', { stream: false, stream_options: { include_usage: true } }, 'stream_options'],
    [
      'stream_options of the wrong kind',
      { stream: true, stream_options: { include_usage: 'yes' } },
      'stream_options.include_usage',
    ],
    ['a stop that is no text', { stop: ['x', 5] }, 'stop[1]'],
    ['two caps that differ', { max_tokens: 5, max_completion_tokens: 6 }, 'max_completion_tokens'],
    ["max_tokens over the model's maximum", { model: 'fake/small', max_tokens: 501 }, 'max_tokens'],
    ['max_completion_tokens over it', { model: 'fake/small', max_completion_tokens: 501 }, 'max_completion_tokens'],
    ['a function without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
    ['a function with a bad name', { tools: [{ type: 'function', function: { name: 'a b' } }] }, 'tools[0].function.name'],
    ['a tool of no type', { tools: [{ function: { name: 'f' } }] }, 'tools[0].type'],
    ['a response format of no type', { response_format: {} }, 'response_format.type'],
    [
      'a schema without a name',
      { response_format: { type: 'json_schema', json_schema: {} } },
      'response_format.json_schema.name',
    ],
    ['metadata that is not text', { metadata: { a: 5 } }, 'metadata.a'],
    ['a bias out of range', { logit_bias: { 5: 101 } }, 'logit_bias.5'],
  ]
  test.each(cases)('%s', async (_, body, param) => {
    await expectRefusal(body, param)
  })
})

test('messages over the context window are refused before money is held', async () => {
  const body = JSON.stringify({ model: 'fake/small', messages: [{ role: 'user', content: 'many words '.repeat(800) }] })
  await world.expectRefused((secret) => ({ headers: headersOf(secret), body }), {
    condition: 'context_exceeded',
    param: 'messages',
    message: /1000 tokens.*about \d{4}/,
  })
})

test.each([
  ['litellm, LangChain.js, Pydantic AI', /maximum context length is/],
  ['LangChain', /prompt is too long/],
])('%s can tell by the message that the context is exceeded', async (_, message) => {
  const body = JSON.stringify({ model: 'fake/small', messages: [{ role: 'user', content: 'many words '.repeat(800) }] })
  const expected = { condition: 'context_exceeded', param: 'messages', message } as const
  await world.expectRefused((secret) => ({ headers: headersOf(secret), body }), expected)
})

const LONG = 'many words '.repeat(800)
const FILE = { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } }
const VIDEO = { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }
const tool = (description: string) => ({ type: 'function', function: { name: 'f', description } })

test.each([
  ['beside a file', 'messages', { messages: [{ role: 'user', content: [{ type: 'text', text: LONG }, FILE] }] }],
  ['beside a video', 'messages', { messages: [{ role: 'user', content: [{ type: 'text', text: LONG }, VIDEO] }] }],
  ['in tools', 'tools', { tools: [tool(LONG)] }],
  ['in functions', 'functions', { functions: [{ name: 'f', description: LONG }] }],
  [
    'in a schema',
    'response_format',
    { response_format: { type: 'json_schema', json_schema: { name: 's', description: LONG, schema: {} } } },
  ],
])('what is longer than the context is refused %s as well, by its field', async (_, param, more) => {
  const body = JSON.stringify({ model: 'fake/small', messages: [{ role: 'user', content: 'hi' }], ...more })
  await world.expectRefused((secret) => ({ headers: headersOf(secret), body }), { condition: 'context_exceeded', param })
})

test('a file takes the place of no text: what fits beside it goes on', async () => {
  const { secret } = await world.holder()
  const content = [{ type: 'text', text: 'few words' }, FILE]
  const answer = await world.chat(secret, { model: 'fake/small', messages: [{ role: 'user', content }], max_tokens: 5 })
  expect(answer.status, answer.text).toBe(200)
})

test('a body whose fields are wrong is in the history', async () => {
  const answer = await expectRefusal({ temperature: 9 }, 'temperature')
  const { request, answer: none } = await historyOf(world.pool, answer.header('x-request-id') ?? '')
  expect(request).toEqual(chatBody({ temperature: 9 }))
  expect(none).toBeNull()
})

test('and so is a form, with notes of its files', async () => {
  const file = { filename: 'a.wav', content: wavOf(0.1) }
  const { type, body } = formBody([
    ['model', 'fake/chat'],
    ['temperature', '9'],
    ['file', file],
  ])
  const headers = (secret: string) =>
    headersOf(secret).map(([name, value]): [string, string] => [name, name === 'content-type' ? type : value])
  const answer = await world.expectRefused((secret) => ({ path: '/v1/audio/transcriptions', headers: headers(secret), body }), {
    condition: 'invalid_request',
    param: 'temperature',
  })
  const { request } = await historyOf(world.pool, answer.header('x-request-id') ?? '')
  expect(request).toEqual({
    model: 'fake/chat',
    temperature: '9',
    file: expect.stringMatching(/^a\.wav \[[^,]+, \d+ bytes, sha256 /),
  })
})
