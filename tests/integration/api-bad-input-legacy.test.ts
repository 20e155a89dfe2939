import { afterAll, beforeAll, describe, test } from 'vitest'
import { type ApiWorld, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { addModel } from '../support/fixtures.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const { url: baseUrl } = world.vendor
  await addModel(world.pool, { id: 'fake/instruct', modality: 'completion', contextWindow: 4096, maxOutput: 500, baseUrl })
  const facts = { dimensions: 256, shortens: true, inputs: 4 }
  await addModel(world.pool, { id: 'fake/embed', modality: 'embedding', contextWindow: 100, facts, baseUrl })
  await addModel(world.pool, { id: 'fake/fixed', modality: 'embedding', facts: { dimensions: 256 }, baseUrl })
  await addModel(world.pool, { id: 'fake/claude', kind: 'anthropic', secret: 'x', baseUrl })
  await untilModelKnown(world, 'fake/claude')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const expectRefusal = (
  path: string,
  body: object | string,
  param: string | null,
  message?: RegExp,
  condition = 'invalid_request',
) =>
  world.expectRefused(
    (secret) => ({ path, headers: headersOf(secret), body: typeof body === 'string' ? body : JSON.stringify(body) }),
    { condition: condition as 'invalid_request', param, ...(message ? { message } : {}) },
  )

const INVALID_MODELS = [undefined, null, 1, '', ['fake/chat'], {}, 'x'.repeat(201)]
/** Values that neither a prompt nor an input can have, and the part that the error names. */
const INVALID_TEXTS: [unknown, string][] = [
  [5, ''],
  [true, ''],
  [{}, ''],
  [{ text: 'x' }, ''],
  [[], ''],
  [[null], '[0]'],
  [['x', 5], '[1]'],
  [['x', null], '[1]'],
  [['x', ['y']], '[1]'],
  [[1, 'x'], '[1]'],
  [[1, [2]], '[1]'],
  [[1.5], '[0]'],
  [[1, -1], '[1]'],
  [[1e20], '[0]'],
  [[[]], '[0]'],
  [[[1], 'x'], '[1]'],
  [[[1], [1, 'x']], '[1][1]'],
]
const PENALTIES = ['1', true, 2.1, -2.1, {}]
const UNSUPPORTED_FIELDS = ['previous_response_id', 'conversation', 'container', 'vector_store_ids', 'file_ids']
const SURCHARGED_FIELDS = ['audio', 'web_search_options', 'service_tier', 'background']
const name = (value: unknown): string => JSON.stringify(value)?.slice(0, 30) ?? 'nothing'

describe('POST /v1/completions', () => {
  const body = (overrides: object) => ({ model: 'fake/chat', prompt: 'x', ...overrides })
  const INVALID_VALUES: Record<string, unknown[]> = {
    model: INVALID_MODELS,
    prompt: [undefined],
    suffix: [5, [], {}],
    max_tokens: ['10', -1, 1.5, 1e12, true, [], {}],
    n: ['2', 0, -1, 1.5, 129, true],
    best_of: ['2', 0, -1, 1.5, 21, true],
    echo: ['true', 1, {}],
    logprobs: ['5', -1, 6, 1.5, true],
    stream: ['true', 1, 0, []],
    stop: [5, {}, Array.from({ length: 17 }, () => 'x')],
    temperature: ['1', true, 2.1, -0.1, []],
    top_p: ['0.5', 1.1, -0.1, {}],
    presence_penalty: PENALTIES,
    frequency_penalty: PENALTIES,
    logit_bias: ['x', [1], 5],
    seed: ['7', 1.5],
    user: [5, {}],
  }
  describe.each(Object.entries(INVALID_VALUES))('the field %s', (field, values) => {
    test.each(values.map((value) => [name(value), value]))('is not %s', async (_, value) => {
      await expectRefusal('/v1/completions', body({ [field]: value }), field)
    })
  })

  test.each(INVALID_TEXTS.map(([value, pathSuffix]) => [name(value), value, pathSuffix] as const))(
    'the prompt is not %s',
    async (_, prompt, pathSuffix) => {
      await expectRefusal('/v1/completions', body({ prompt }), `prompt${pathSuffix}`)
    },
  )

  const chatOnlyFields = 'messages max_completion_tokens tools tool_choice functions function_call modalities prediction'.split(
    ' ',
  )
  test.each(chatOnlyFields)('%s belongs to chats', async (field) => {
    await expectRefusal('/v1/completions', body({ [field]: [1] }), field, /belongs to POST \/v1\/chat\/completions/)
  })
  test.each([...UNSUPPORTED_FIELDS, ...SURCHARGED_FIELDS])('%s is not for sale', async (field) => {
    await expectRefusal('/v1/completions', body({ [field]: 'x' }), field)
  })

  const cases: [string, object, string, RegExp][] = [
    ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options', /stream/],
    ['a wrong include_usage', { stream: true, stream_options: { include_usage: 1 } }, 'stream_options.include_usage', /./],
    ['a stop that is no text', { stop: ['x', 5] }, 'stop[1]', /./],
    ['a bias out of range', { logit_bias: { '5': 101 } }, 'logit_bias.5', /./],
    ['best_of below n', { n: 3, best_of: 2 }, 'best_of', /at least "n"/],
    ['best_of in a stream', { model: 'fake/instruct', best_of: 2, stream: true }, 'best_of', /cannot be streamed/],
    ["max_tokens over the model's maximum", { model: 'fake/instruct', max_tokens: 501 }, 'max_tokens', /at most 500 tokens/],
    ['a model that does not write', { model: 'fake/embed' }, 'model', /of the kind "embedding"/],
  ]
  test.each(cases)('%s', async (_, more, param, message) => {
    await expectRefusal('/v1/completions', body(more), param, message)
  })

  describe.each(['fake/chat', 'fake/claude'])('what %s only chats', (model) => {
    const unsupportedCases: [string, object, string][] = [
      ['17 prompts', { prompt: Array.from({ length: 17 }, () => 'x') }, 'prompt'],
      ['17 answers', { n: 17 }, 'n'],
      ['9 prompts twice', { prompt: Array.from({ length: 9 }, () => 'x'), n: 2 }, 'n'],
      ['best_of', { best_of: 2 }, 'best_of'],
      ['no tokens to write', { max_tokens: 0 }, 'max_tokens'],
      ['log probabilities of a prompt', { echo: true, logprobs: 1 }, 'logprobs'],
      ['an empty prompt', { prompt: '' }, 'prompt'],
      ['an empty prompt of two', { prompt: ['x', ' \n'] }, 'prompt[1]'],
      ['no prompt', { prompt: null }, 'prompt'],
      ['unknown tokens', { prompt: [100_256] }, 'prompt'],
      ['half a character', { prompt: [[9906], [76460]] }, 'prompt[1]'],
    ]
    test.each(unsupportedCases)('cannot be asked: %s', async (_, more, param) => {
      await expectRefusal('/v1/completions', body({ model, ...more }), param, /This model/)
    })
  })

  test.each([
    ['logprobs', { logprobs: 1 }],
    ['logit_bias', { logit_bias: { '5': 1 } }],
    ['n', { n: 9 }],
  ])('a bridged model cannot be given %s', async (param, more) => {
    await expectRefusal('/v1/completions', body({ model: 'fake/claude', ...more }), param)
  })

  test('a prompt that is longer than the context', async () => {
    const prompt = ['x', 'word '.repeat(5000)]
    await expectRefusal(
      '/v1/completions',
      body({ model: 'fake/instruct', prompt }),
      'prompt[1]',
      /maximum context length is 4096 tokens/,
      'context_exceeded',
    )
    const tokens = Array.from({ length: 4097 }, () => 1)
    await expectRefusal('/v1/completions', body({ model: 'fake/instruct', prompt: tokens }), 'prompt', /4097/, 'context_exceeded')
  })

  test.each([
    ['prompt', 'word '.repeat(3000), 'word '.repeat(2000)],
    ['suffix', 'word '.repeat(2000), 'word '.repeat(3000)],
    ['suffix', 'word', 'word '.repeat(5000)],
  ])('a prompt and a suffix that are longer together: shorten the %s', async (param, prompt, suffix) => {
    await expectRefusal(
      '/v1/completions',
      body({ model: 'fake/instruct', prompt, suffix }),
      param,
      /4096 tokens/,
      'context_exceeded',
    )
  })
})

describe('POST /v1/embeddings', () => {
  const body = (overrides: object) => ({ model: 'fake/embed', input: 'x', ...overrides })
  const INVALID_VALUES: Record<string, unknown[]> = {
    model: INVALID_MODELS,
    input: [undefined, null, ''],
    encoding_format: ['float16', 'FLOAT', 5, {}],
    dimensions: ['256', 0, -1, 1.5, true, 1e9],
    user: [5, {}],
    stream: [true, 'true'],
  }
  describe.each(Object.entries(INVALID_VALUES))('the field %s', (field, values) => {
    test.each(values.map((value) => [name(value), value]))('is not %s', async (_, value) => {
      await expectRefusal('/v1/embeddings', body({ [field]: value }), field)
    })
  })

  test.each(INVALID_TEXTS.map(([value, pathSuffix]) => [name(value), value, pathSuffix] as const))(
    'the input is not %s',
    async (_, input, pathSuffix) => {
      await expectRefusal('/v1/embeddings', body({ input }), `input${pathSuffix}`)
    },
  )

  test.each(['file_ids', 'service_tier', 'background'])('%s is not for sale', async (field) => {
    await expectRefusal('/v1/embeddings', body({ [field]: 'x' }), field)
  })

  const cases: [string, object, string, RegExp][] = [
    ['an empty text among others', { input: ['x', ''] }, 'input[1]', /empty text/],
    ['more texts than the model takes', { input: ['a', 'b', 'c', 'd', 'e'] }, 'input', /at most 4 texts per request; you sent 5/],
    ['more token lists than that', { input: [[1], [1], [1], [1], [1]] }, 'input', /at most 4/],
    ['more dimensions than the model has', { dimensions: 257 }, 'dimensions', /at most 256 dimensions; you asked for 257/],
    [
      'dimensions of a model that always has the same',
      { model: 'fake/fixed', dimensions: 128 },
      'dimensions',
      /always answers with 256/,
    ],
    ['a model that does not embed', { model: 'fake/chat' }, 'model', /of the kind "chat"/],
  ]
  test.each(cases)('%s', async (_, more, param, message) => {
    await expectRefusal('/v1/embeddings', body(more), param, message)
  })

  test('a text that is longer than the context', async () => {
    await expectRefusal(
      '/v1/embeddings',
      body({ input: ['x', 'word '.repeat(200)] }),
      'input[1]',
      /maximum context length is 100 tokens/,
      'context_exceeded',
    )
    const tokens = Array.from({ length: 101 }, () => 1)
    await expectRefusal('/v1/embeddings', body({ input: tokens }), 'input', /101/, 'context_exceeded')
  })

  test('a body that is no JSON', async () => {
    await expectRefusal('/v1/embeddings', '{"model":"fake/embed","input":["x"', null, /not valid JSON/)
  })
})
