import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VENDOR_KINDS } from '#lib/domain/vendor-kind-list'
import { type ApiWorld, expectError, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { completionAnswer } from '../fakes/legacy-vendor.ts'
import { chatAnswer, sendJson, sendStream } from '../fakes/vendor.ts'
import { addModel } from '../support/fixtures.ts'

const SECRET = 'native-secret-Ab3dEf9x'
const KINDS = VENDOR_KINDS.filter(({ reached }) => reached === 'forwarded').map(({ id }) => id)
const TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const SCHEMA = { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' } } }

const ONE_HOUR_CACHE = { cache_control: { type: 'ephemeral', ttl: '1h' } }
/** A model that always reasons, two that reason unless they are told not to, and one that never does. */
const ALIBABA_MODELS = { qwq: 'qwq-plus', qwen: 'qwen3.8-max', glm: 'glm-5.2', instruct: 'qwen3-235b-a22b-instruct-2507' }

/** Vendors whose models search the web for each request. */
const SEARCHING = ['openai', 'perplexity'] as const

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  for (const kind of KINDS) await addModel(world.pool, { id: `fake/${kind}`, baseUrl: world.vendor.url, kind, secret: SECRET })
  const origin = new URL(world.vendor.url).origin
  await addModel(world.pool, {
    id: 'fake/azure-older',
    baseUrl: `${origin}/openai?api-version=2024-10-21`,
    kind: 'azure',
    upstreamModel: 'my deployment',
    secret: SECRET,
  })
  for (const [id, upstreamModel] of Object.entries(ALIBABA_MODELS))
    await addModel(world.pool, { id: `fake/${id}`, baseUrl: world.vendor.url, kind: 'alibaba', upstreamModel })
  await addModel(world.pool, {
    id: 'fake/deep',
    baseUrl: world.vendor.url,
    kind: 'perplexity',
    upstreamModel: 'sonar-deep-research',
  })
  await addModel(world.pool, {
    id: 'fake/openrouter-text',
    baseUrl: world.vendor.url,
    kind: 'openrouter',
    modality: 'completion',
  })
  for (const kind of SEARCHING) {
    const units = { input: '1000000000', output: '5000000000', request: '25000000000000' }
    await addModel(world.pool, { id: `fake/${kind}-search`, baseUrl: world.vendor.url, kind, units })
  }
  await untilModelKnown(world, `fake/${SEARCHING[1]}-search`)
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Sends a request to a model, and returns what its vendor was sent. */
async function callVendor(model: string, body: object = {}) {
  const { secret } = await world.holder()
  world.vendor.answer((call) => (call.body.stream === true ? sendStream(call, ['ok']) : sendJson(call, chatAnswer('ok'))))
  const answer = await world.chat(secret, { model, ...body })
  expect(answer.status, answer.text).toBe(200)
  const call = world.vendor.posts.at(-1)
  return { call: call as NonNullable<typeof call>, ignored: answer.header('x-tollgate-ignored') }
}

/** The field that holds the cap, and whether the vendor is told to store nothing. */
const CAP_FIELDS: Record<string, [cap: string, store: boolean]> = {
  openai: ['max_completion_tokens', true],
  azure: ['max_completion_tokens', true],
  tollgate: ['max_completion_tokens', true],
  xai: ['max_completion_tokens', false],
  groq: ['max_completion_tokens', false],
  cerebras: ['max_completion_tokens', false],
}

test.each(KINDS)('%s is told the cap in its own field, its key in its own header, and to tell the usage', async (kind) => {
  const [cap, store] = CAP_FIELDS[kind] ?? ['max_tokens', false]
  const { call } = await callVendor(`fake/${kind}`, { max_tokens: 50, stream: true })
  const { max_tokens, max_completion_tokens, store: kept, stream_options } = call.body
  expect({ max_tokens, max_completion_tokens }).toEqual({ max_tokens: undefined, max_completion_tokens: undefined, [cap]: 50 })
  expect(kept).toBe(store ? false : undefined)
  expect(stream_options).toEqual(kind === 'perplexity' ? undefined : { include_usage: true })
  expect(call.path).toBe('/v1/chat/completions')
  const { authorization, 'api-key': apiKey } = call.headers
  expect({ authorization, apiKey }).toEqual(
    kind === 'azure' ? { authorization: undefined, apiKey: SECRET } : { authorization: `Bearer ${SECRET}`, apiKey: undefined },
  )
})

test("Azure's older API has the deployment in its path", async () => {
  const { call } = await callVendor('fake/azure-older')
  expect(call.path).toBe('/openai/deployments/my%20deployment/chat/completions?api-version=2024-10-21')
  expect(call.headers['api-key']).toBe(SECRET)
})

describe('what only OpenAI has a use for', () => {
  const body = { verbosity: 'low', metadata: { a: 'b' }, prompt_cache_key: 'k' }

  test.each(KINDS)('%s', async (kind) => {
    const { call, ignored } = await callVendor(`fake/${kind}`, body)
    const getsAll = ['tollgate', 'openai-compatible', 'ollama', 'vllm'].includes(kind)
    // OpenAI accepts metadata only of chats that it stores, and it may store none.
    const dropped = getsAll ? [] : ['openai', 'azure'].includes(kind) ? ['metadata'] : Object.keys(body).toSorted()
    expect(ignored?.split(', ').toSorted() ?? []).toEqual(dropped)
    for (const field of Object.keys(body)) expect(field in call.body, field).toBe(!dropped.includes(field))
    // A field that nobody knows passes, because the vendor may know it.
    expect((await callVendor(`fake/${kind}`, { surprise: 1 })).call.body.surprise).toBe(1)
  })
})

test('with a prediction, OpenAI gets the cap in its older field, and another vendor in its own', async () => {
  const prediction = { type: 'content', content: 'const a = 1' }
  const sent = async (kind: string) => (await callVendor(`fake/${kind}`, { prediction, max_completion_tokens: 77 })).call.body
  const openai = await sent('openai')
  expect(openai).toMatchObject({ prediction, max_tokens: 77 })
  expect(openai).not.toHaveProperty('max_completion_tokens')
  expect(await sent('fireworks')).toMatchObject({ prediction, max_tokens: 77 })
})

describe.each(SEARCHING)('searches of a native chat at %s', (kind) => {
  const model = `fake/${kind}-search`
  const location = { user_location: { type: 'approximate', approximate: { country: 'NZ' } } }

  test('are part of the price of a request, and refused by a model that has none', async () => {
    const web_search_options = { ...location, search_context_size: 'low' }
    world.vendor.answer((call) => sendJson(call, chatAnswer('ok')))
    const who = await world.holder()
    const answer = await world.chat(who.secret, { model, web_search_options })
    expect(answer.status, answer.text).toBe(200)
    expect(world.vendor.posts.at(-1)?.body).toMatchObject({ web_search_options })
    const [record] = await world.records(who.accountId, 1)
    expect(record?.charged).toBeGreaterThan(25_000_000n)
    expect(record?.charged).toBeLessThan(26_000_000n)
    await world.expectSettledBooks(who, 1)
    const refused = await world.chat(who.secret, { model: `fake/${kind}`, web_search_options })
    expectError(refused, { condition: 'invalid_request', param: 'web_search_options' })
  })

  test('that read more are refused where they are billed higher', async () => {
    const { secret } = await world.holder()
    const answer = await world.chat(secret, { model, web_search_options: { search_context_size: 'high' } })
    expect(answer.status, answer.text).toBe(kind === 'perplexity' ? 400 : 200)
  })
})

test('what is null is not sent: it says nothing, and strict servers refuse it', async () => {
  const nothing = { temperature: null, stop: null, tools: null, response_format: null, surprise: null }
  const body = (await callVendor('fake/vllm', { ...nothing, top_p: 0.5, other: { kept: null } })).call.body
  expect(body).toMatchObject({ top_p: 0.5, other: { kept: null } })
  for (const field of Object.keys(nothing)) expect(body, field).not.toHaveProperty(field)
})

test.each(KINDS)('%s is told no tier but the usual one, and only where it is OpenAI’s', async (kind) => {
  const knows = ['openai', 'azure', 'tollgate'].includes(kind)
  expect((await callVendor(`fake/${kind}`, { service_tier: 'auto' })).call.body).not.toHaveProperty('service_tier')
  const { call, ignored } = await callVendor(`fake/${kind}`, { service_tier: 'default' })
  expect(call.body.service_tier).toBe(knows ? 'default' : undefined)
  expect(ignored).toBe(null)
})

describe('lists that are empty, which say nothing and which OpenAI refuses', () => {
  test.each(['openai', 'vllm'])('are not sent to %s, nor how tools are called where there are none', async (kind) => {
    const nothing = { tools: [], functions: [], stop: [], parallel_tool_calls: false }
    for (const free of ['auto', 'none']) {
      const choices = { tool_choice: free, function_call: free }
      const { body } = (await callVendor(`fake/${kind}`, { ...nothing, ...choices })).call
      for (const field of Object.keys({ ...nothing, ...choices })) expect(body, field).not.toHaveProperty(field)
    }
  })

  test('but what has to be called, and lists of which nothing is known', async () => {
    const body = { tool_choice: 'required', transforms: [] }
    expect((await callVendor('fake/openai', body)).call.body).toMatchObject(body)
    const called = { tools: [TOOL], tool_choice: 'none', parallel_tool_calls: false, stop: ['x'] }
    expect((await callVendor('fake/openai', called)).call.body).toMatchObject(called)
    const older = { functions: [{ name: 'f' }], function_call: 'auto' }
    expect((await callVendor('fake/openai', older)).call.body).toMatchObject(older)
  })
})

describe('messages', () => {
  const DEVELOPER_MESSAGE = {
    role: 'developer',
    content: [
      { type: 'text', text: 'Be ' },
      { type: 'text', text: 'brief.' },
    ],
  }
  const USER_MESSAGE = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
  /** A call without any text, as Cursor sends it. */
  const CALL_MESSAGE = { role: 'assistant', content: [], tool_calls: [CALL] }
  const TOOL_MESSAGE = { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: '1' }] }
  /** As the answers of bridged vendors and of OpenAI look here. Clients send them back as they came. */
  const REASONING_MESSAGE = {
    role: 'assistant',
    content: 'Well.',
    refusal: null,
    annotations: [],
    reasoning_content: 'Hm.',
    reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'Eq==' }],
    tool_calls: [{ ...CALL, extra_content: { google: { thought_signature: 'Eq==' } } }],
  }
  const messages = [DEVELOPER_MESSAGE, USER_MESSAGE, CALL_MESSAGE, TOOL_MESSAGE, REASONING_MESSAGE, TOOL_MESSAGE]

  test.each(KINDS)('%s gets them as it knows them', async (kind) => {
    const knowsDeveloper = ['openai', 'azure', 'tollgate', 'openrouter'].includes(kind)
    const isStrict = ['groq', 'cerebras'].includes(kind)
    const isOpenAi = ['openai', 'azure'].includes(kind)
    const ownTurn = { role: 'assistant', content: 'Well.', ...(isOpenAi ? { refusal: null } : {}), tool_calls: [CALL] }
    const flattensContent = kind === 'deepseek'
    const wantsThoughts = ['deepseek', 'moonshot'].includes(kind)
    const result = flattensContent ? { ...TOOL_MESSAGE, content: '1' } : TOOL_MESSAGE
    expect((await callVendor(`fake/${kind}`, { messages })).call.body.messages).toEqual([
      { role: knowsDeveloper ? 'developer' : 'system', content: flattensContent ? 'Be brief.' : DEVELOPER_MESSAGE.content },
      flattensContent ? { ...USER_MESSAGE, content: 'Hi' } : USER_MESSAGE,
      { ...CALL_MESSAGE, content: null, ...(wantsThoughts ? { reasoning_content: ' ' } : {}) },
      result,
      isStrict || isOpenAi ? ownTurn : REASONING_MESSAGE,
      result,
    ])
  })

  test.each(['deepseek', 'moonshot'])(
    '%s gets a place for thoughts in a conversation with calls, and in no other',
    async (kind) => {
      const [textTurn, callTurn] = [
        { role: 'assistant', content: 'Well.' },
        { role: 'assistant', content: null, tool_calls: [CALL] },
      ]
      const user = { role: 'user', content: 'x' }
      const turns = [
        user,
        { ...textTurn, reasoning_content: '' },
        user,
        callTurn,
        { ...TOOL_MESSAGE, content: '1' },
        textTurn,
        user,
      ]
      const empty = { reasoning_content: ' ' }
      expect((await callVendor(`fake/${kind}`, { messages: turns })).call.body.messages).toEqual([
        user,
        { ...textTurn, ...empty },
        user,
        { ...callTurn, ...empty },
        { ...TOOL_MESSAGE, content: '1' },
        { ...textTurn, ...empty },
        user,
      ])
      expect((await callVendor(`fake/${kind}`, { messages: [user, textTurn, user] })).call.body.messages).toEqual([
        user,
        textTurn,
        user,
      ])
    },
  )

  test.each(KINDS)('%s gets marks of what to cache if it knows them, or reads past them', async (kind) => {
    const mark = { cache_control: { type: 'ephemeral' } }
    const marked = {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Long.', ...mark }] },
        { role: 'user', content: 'Hi', ...mark },
      ],
      tools: [
        { ...TOOL, ...mark },
        { ...TOOL, function: { ...TOOL.function, ...mark } },
      ],
    }
    if (kind === 'perplexity') return
    const { call, ignored } = await callVendor(`fake/${kind}`, marked)
    const refuses = ['openai', 'azure', 'groq', 'cerebras'].includes(kind)
    expect(JSON.stringify(call.body).match(/cache_control/g)?.length ?? 0).toBe(refuses ? 0 : kind === 'deepseek' ? 3 : 4)
    expect(ignored).toBe(refuses ? 'cache_control' : null)
    expect(call.body.tools).toMatchObject([TOOL, TOOL])
  })

  test('an empty list of calls is none', async () => {
    const textTurn = { role: 'assistant', content: 'Well.' }
    for (const kind of ['openai', 'deepseek', 'groq'])
      expect((await callVendor(`fake/${kind}`, { messages: [{ ...textTurn, tool_calls: [] }] })).call.body.messages).toEqual([
        textTurn,
      ])
  })

  test('a call without arguments is called with none, where they are an empty text', async () => {
    const empty = { ...CALL, id: 'd', function: { name: 'f', arguments: '' } }
    const calls = (
      await callVendor('fake/ollama', { messages: [USER_MESSAGE, { role: 'assistant', tool_calls: [CALL, empty] }] })
    ).call.body
    expect(calls.messages).toEqual([USER_MESSAGE, { role: 'assistant', tool_calls: [CALL, { ...CALL, id: 'd' }] }])
  })

  test('what is no text alone is left to DeepSeek', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const shown = [{ role: 'user', content: [{ type: 'text', text: 'x' }, image] }]
    expect((await callVendor('fake/deepseek', { messages: shown })).call.body.messages).toEqual(shown)
  })
})

describe('what a vendor cannot be given is a 400 that names it, before money is held', () => {
  test.each<[kind: string, body: object, param: string]>([
    ['azure', { data_sources: [{}] }, 'data_sources'],
    ['xai', { logit_bias: { 5: 1 } }, 'logit_bias'],
    ['xai', { search_parameters: { mode: 'on' } }, 'search_parameters'],
    ['deepseek', { n: 2 }, 'n'],
    ['deepseek', { response_format: SCHEMA }, 'response_format'],
    ['groq', { n: 3 }, 'n'],
    ['groq', { logprobs: true }, 'logprobs'],
    ['groq', { logprobs: true, top_logprobs: 2 }, 'logprobs'],
    ['groq', { top_logprobs: 2 }, 'top_logprobs'],
    ['groq', { search_settings: {} }, 'search_settings'],
    ['cerebras', { frequency_penalty: 0.5 }, 'frequency_penalty'],
    ['cerebras', { presence_penalty: -1 }, 'presence_penalty'],
    ['alibaba', { enable_search: true }, 'enable_search'],
    ['moonshot', { logprobs: true }, 'logprobs'],
    ['perplexity', { tools: [TOOL] }, 'tools'],
    ['perplexity', { search_type: 'pro' }, 'search_type'],
    ['openrouter', { models: ['openai/gpt-5-pro'] }, 'models'],
    ['openrouter', { plugins: [{ id: 'web' }] }, 'plugins'],
    ['openrouter', { provider: { order: ['dear'] } }, 'provider'],
    ['openrouter', { n: 2 }, 'n'],
    ['openrouter', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', ...ONE_HOUR_CACHE }] }] }, 'cache_control'],
    ['openrouter', { tools: [{ ...TOOL, ...ONE_HOUR_CACHE }] }, 'cache_control'],
    ['openrouter', ONE_HOUR_CACHE, 'cache_control'],
    ['openai-compatible', { messages: [{ role: 'user', content: 'x', ...ONE_HOUR_CACHE }] }, 'cache_control'],
    ['openai-compatible', { tools: [{ ...TOOL, function: { ...TOOL.function, ...ONE_HOUR_CACHE } }] }, 'cache_control'],
    ['openai-compatible', { messages: [{ role: 'assistant', tool_calls: [{ ...CALL, ...ONE_HOUR_CACHE }] }] }, 'cache_control'],
    [
      'openai-compatible',
      { cache_control_injection_points: [{ role: 'user', control: ONE_HOUR_CACHE.cache_control }] },
      'cache_control',
    ],
  ])('%s %j', async (kind, body, param) => {
    await world.expectRefused(
      (secret) => ({
        headers: headersOf(secret),
        body: JSON.stringify({ model: `fake/${kind}`, messages: [{ role: 'user', content: 'x' }], ...body }),
      }),
      { condition: 'invalid_request', param },
    )
  })

  test.each<[model: string, path: string, body: object, param: string]>([
    ['fake/xai', '/v1/responses', { input: 'x', search_parameters: { mode: 'on' } }, 'search_parameters'],
    ['fake/azure', '/v1/responses', { input: 'x', data_sources: [{}] }, 'data_sources'],
    ['fake/openrouter-text', '/v1/completions', { prompt: 'x', models: ['openai/gpt-5-pro'] }, 'models'],
    ['fake/openrouter-text', '/v1/completions', { prompt: 'x', plugins: [{ id: 'web' }] }, 'plugins'],
  ])('what is billed apart is refused on every wire: %s %s %j', async (model, path, body, param) => {
    await world.expectRefused((secret) => ({ path, headers: headersOf(secret), body: JSON.stringify({ model, ...body }) }), {
      condition: 'invalid_request',
      param,
    })
  })

  test('that it keep an answer is asked of no vendor, on no wire', async () => {
    const { secret } = await world.holder()
    world.vendor.answer((call) => sendJson(call, completionAnswer(['ok'])))
    const body = JSON.stringify({ model: 'fake/openrouter-text', prompt: 'x', store: true })
    const answer = await world.send({ path: '/v1/completions', headers: headersOf(secret), body })
    expect(answer.status, answer.text).toBe(200)
    expect(world.vendor.posts.at(-1)?.body).not.toHaveProperty('store')
  })

  test.each<[kind: string, body: object]>([
    ['deepseek', { n: 1, response_format: { type: 'json_object' }, logit_bias: {} }],
    ['groq', { logprobs: false, tools: [TOOL] }],
    ['cerebras', { frequency_penalty: 0 }],
    ['xai', { n: 2, response_format: SCHEMA }],
    [
      'openrouter',
      {
        cache_control: { type: 'ephemeral' },
        messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '5m' } }] }],
      },
    ],
  ])('but %s takes %j', async (kind, body) => {
    expect((await callVendor(`fake/${kind}`, body)).call.body).toMatchObject(body)
  })
})

test.each(['groq', 'moonshot', 'perplexity'])(
  '%s, which has no log probabilities, is not told that none are wanted',
  async (kind) => {
    const { call, ignored } = await callVendor(`fake/${kind}`, { logprobs: false, top_logprobs: 0 })
    expect(call.body).not.toHaveProperty('top_logprobs')
    expect(ignored).toBeNull()
  },
)

describe('responses, which are asked as chats,', () => {
  const ask = (more: object) => async (secret: string) =>
    await world.send({
      path: '/v1/responses',
      headers: headersOf(secret),
      body: JSON.stringify({ model: 'fake/deepseek', input: 'Hi', ...more }),
    })

  test('name what is refused in their own words', async () => {
    const { secret } = await world.holder()
    const format = { type: 'json_schema', name: 's', schema: { type: 'object' } }
    const answer = await ask({ text: { format } })(secret)
    expectError(answer, { condition: 'invalid_request', param: 'text.format' })
  })

  test('and what is left out', async () => {
    const { secret } = await world.holder()
    world.vendor.answer((call) => sendJson(call, chatAnswer('ok')))
    const answer = await ask({ text: { verbosity: 'low' } })(secret)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.header('x-tollgate-ignored')).toBe('text.verbosity')
  })
})

describe("Alibaba's thoughts, which its cap does not count, fit into what is held for", () => {
  test.each<[model: string, body: object, expected: object]>([
    ['fake/alibaba', {}, { max_tokens: 100 }],
    ['fake/alibaba', { thinking_budget: 90_000 }, { max_tokens: 100 }],
    ['fake/alibaba', { enable_thinking: true }, { max_tokens: 50, thinking_budget: 50 }],
    ['fake/alibaba', { enable_thinking: true, thinking_budget: 20 }, { max_tokens: 80, thinking_budget: 20 }],
    ['fake/alibaba', { enable_thinking: true, thinking_budget: 90_000 }, { max_tokens: 50, thinking_budget: 50 }],
    ['fake/qwq', {}, { max_tokens: 50, thinking_budget: 50 }],
    ['fake/qwq', { enable_thinking: false }, { max_tokens: 100, enable_thinking: false }],
    ['fake/qwq', { reasoning_effort: 'none' }, { max_tokens: 50, thinking_budget: 50 }],
    ['fake/qwen', {}, { max_tokens: 50, thinking_budget: 50 }],
    // The vendor refuses the two fields together.
    ['fake/qwen', { reasoning_effort: 'high' }, { max_tokens: 50, thinking_budget: 50 }],
    ['fake/qwen', { reasoning_effort: 'none' }, { max_tokens: 100, enable_thinking: false }],
    ['fake/glm', {}, { max_tokens: 50, thinking_budget: 50 }],
    ['fake/instruct', {}, { max_tokens: 100 }],
    ['fake/alibaba', { reasoning_effort: 'high' }, { max_tokens: 100, reasoning_effort: 'high' }],
  ])('%s %j', async (model, body, expected) => {
    // Whether a stream was requested is tested elsewhere (stream-only.test.ts).
    const {
      model: _m,
      messages: _s,
      stream: _t,
      stream_options: _o,
      ...fields
    } = (await callVendor(model, { max_tokens: 100, ...body })).call.body
    expect(fields).toEqual({ ...('enable_thinking' in body ? { enable_thinking: body.enable_thinking } : {}), ...expected })
  })
})

test('what bills its searches and citations apart is not sold', async () => {
  const { secret } = await world.holder()
  const posts = world.vendor.posts.length
  expectError(await world.chat(secret, { model: 'fake/deep' }), { condition: 'unavailable' })
  expect(world.vendor.posts.length).toBe(posts)
})

describe('errors', () => {
  test.each<
    [
      kind: string,
      status: number,
      text: object,
      condition: 'unavailable' | 'invalid_request' | 'too_many_requests',
      param?: string,
    ]
  >([
    ['xai', 400, { code: 'x', error: 'Incorrect API key provided: xa***yz.' }, 'unavailable'],
    ['xai', 400, { code: 'x', error: 'Argument not supported on this model: stop' }, 'invalid_request'],
    // What a vendor quotes are the sender's words, and not the operator's fault.
    ['xai', 400, { code: 'x', error: 'unknown variant `incorrect api key`, expected one of' }, 'invalid_request'],
    ['xai', 403, { code: 'x', error: 'Your team has used all available credits' }, 'unavailable'],
    ['deepseek', 402, { error: { message: 'Insufficient Balance' } }, 'unavailable'],
    ['deepseek', 422, { error: { message: 'Failed to deserialize', param: null } }, 'invalid_request'],
    // The sender used one of the vendor's codes as a field name.
    [
      'groq',
      400,
      { error: { message: 'no such field', param: 'organization_restricted' } },
      'invalid_request',
      'organization_restricted',
    ],
    ['groq', 498, { error: { message: 'capacity exceeded' } }, 'unavailable'],
    ['groq', 400, { error: { message: 'bad', param: 'messages' } }, 'invalid_request', 'messages'],
    ['cerebras', 400, { message: 'bad', param: 'seed', code: 'wrong_api_format' }, 'invalid_request', 'seed'],
    ['fireworks', 400, { error: { object: 'error', type: 'invalid_request_error', message: 'Extra inputs' } }, 'invalid_request'],
    ['together', 422, { error: { message: 'Input too long', param: 'max_tokens' } }, 'invalid_request', 'max_tokens'],
    ['deepinfra', 422, { detail: [{ loc: ['body', 'top_p'], msg: 'too large' }] }, 'invalid_request', 'top_p'],
    ['alibaba', 400, { error: { message: 'Access denied, account not in good standing', code: 'Arrearage' } }, 'unavailable'],
    ['alibaba', 400, { error: { message: "'arrearage, not in good standing' is not one of" } }, 'invalid_request'],
    ['alibaba', 400, { error: { message: 'Not one of: {"code":"Arrearage","message":"Access denied"}' } }, 'invalid_request'],
    ['alibaba', 400, { error: { message: 'Range of max_tokens', param: 'max_tokens' } }, 'invalid_request', 'max_tokens'],
    ['moonshot', 429, { error: { message: 'pay', type: 'exceeded_current_quota_error' } }, 'unavailable'],
    ['moonshot', 429, { error: { message: 'slow', type: 'rate_limit_reached_error' } }, 'too_many_requests'],
    ['perplexity', 401, { error: { message: 'no', type: 'invalid_api_key', code: 401 } }, 'unavailable'],
    ['openrouter', 400, { error: { message: 'Provider returned error', metadata: { raw: 'too long' } } }, 'invalid_request'],
    ['openrouter', 402, { error: { message: 'Insufficient credits', code: 402 } }, 'unavailable'],
    ['azure', 401, { error: { code: 'PermissionDenied', message: 'Principal does not have access' } }, 'unavailable'],
    ['azure', 404, { error: { code: 'DeploymentNotFound', message: 'no such deployment' } }, 'unavailable'],
    ['azure', 400, { error: { code: 'content_filter', message: 'filtered', param: 'prompt' } }, 'invalid_request', 'prompt'],
  ])('%s %d %j', async (kind, status, text, condition, param) => {
    const holder = await world.holder()
    world.vendor.answer((call) => sendJson(call, text, status))
    const answer = await world.chat(holder.secret, { model: `fake/${kind}` })
    const expectedMessage = condition === 'invalid_request' ? { message: /^The model's vendor says: \S/ } : {}
    const code = JSON.stringify(text).includes('"content_filter"') ? { code: 'content_filter' } : {}
    expectError(answer, { condition, param: param ?? null, ...expectedMessage, ...code })
    world.expectNoLeaks(answer)
    expect((await world.record(holder.accountId)).charged).toBe(0n)
  })
})
