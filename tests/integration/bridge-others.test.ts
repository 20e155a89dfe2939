import { createHash, createHmac, createVerify, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Connection } from '#lib/domain/catalog'
import { asRefusal } from '#lib/domain/errors'
import { VendorRegistry } from '#lib/vendors/registry'
import type { WireAnswer } from '#lib/vendors/vendor'
import { chatCompletions } from '#lib/wire/chat'
import { bedrockFrame } from '../fakes/bedrock-frames.ts'
import { geminiAnswer } from '../fakes/bridged-vendors.ts'
import { type Call, chatAnswer, type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'

const MODELS = {
  mistral: 'mistral-large-latest',
  cohere: 'command-a-03-2025',
  'amazon-bedrock': 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'google-vertex': 'gemini-2.5-pro',
} as const
type Kind = keyof typeof MODELS
const KINDS = Object.keys(MODELS) as Kind[]

/** A whole answer of each vendor's that says "ok". */
const ANSWERS: Record<Kind, object> = {
  mistral: chatAnswer('ok'),
  cohere: {
    id: 'c',
    message: { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
    finish_reason: 'COMPLETE',
    usage: { billed_units: { input_tokens: 10, output_tokens: 5 }, tokens: { input_tokens: 100, output_tokens: 6 } },
  },
  'amazon-bedrock': {
    output: { message: { role: 'assistant', content: [{ text: 'ok' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  },
  'google-vertex': geminiAnswer([{ text: 'ok' }]),
}

let vendor: FakeVendor
const registry = new VendorRegistry()

beforeAll(async () => {
  vendor = await startFakeVendor()
})
afterAll(async () => {
  await registry.close()
  await vendor?.[Symbol.asyncDispose]()
})

interface Options {
  model?: string
  cap?: number
  secret?: string
  stream?: boolean
}

/** Asks through the real provider package. Throws the refusal where the request is one. */
async function run(
  kind: Kind,
  body: object,
  { model = MODELS[kind], cap = 8000, secret = 'vendor-secret', stream = false }: Options = {},
) {
  const connection: Connection = {
    id: kind,
    name: kind,
    kind,
    baseUrl: new URL(vendor.url).origin,
    secret,
    headers: {},
    connectTimeoutMs: 1000,
    headersTimeoutMs: 5000,
    idleTimeoutMs: 5000,
  }
  const { bridge } = registry.get(connection) ?? {}
  const { language } = chatCompletions
  if (!bridge || !language) throw new Error(`${kind} is not bridged`)
  const parsed = chatCompletions.parse({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...body })
  const ports = { model: { maxOutput: 65_536, contextWindow: 200_000 }, bodyBytes: 100, countTokens: async () => 1 }
  const work = await chatCompletions.prepare(parsed, ports as never)
  return await bridge.run({
    deployment: { id: 'dep', upstreamModel: model, weight: 1, priority: 1, connection },
    connection,
    ask: language.ask(work, bridge.skills(model)),
    stream,
    cap,
    choices: parsed.n ?? 1,
    signal: new AbortController().signal,
    sending: () => undefined,
  })
}

/** What the vendor got, and what of the request it did not. */
async function ask(kind: Kind, body: object, options: Options = {}) {
  vendor.answer((call) => sendJson(call, ANSWERS[kind]))
  const answer = await run(kind, body, options)
  if (answer.k !== 'parts') throw new Error(`status ${answer.status}`)
  return { sent: vendor.calls.at(-1)?.body ?? {}, ignored: [...answer.ignored].sort() }
}

type Fate = { sent?: object; absent?: string[]; ignored?: string[]; refused?: string }

const generation = (config: object): Fate => ({ sent: { generationConfig: config } })
const inference = (config: object): Fate => ({ sent: { inferenceConfig: config } })
const user = (part: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, part] }] })
const TOOL = { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } } }
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const PNG = 'data:image/png;base64,aGVsbG8='
const CALLED = {
  messages: [
    { role: 'user', content: 'x' },
    { role: 'assistant', tool_calls: [{ id: 'call_abc.1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] },
    { role: 'tool', tool_call_id: 'call_abc.1', content: 'done' },
  ],
}
const OWN_ID = createHash('sha256').update('call_abc_1').digest('hex').slice(0, 9)
const refusedAt =
  (...kinds: Kind[]) =>
  (param: string): Partial<Record<Kind, Fate>> =>
    Object.fromEntries(kinds.map((kind) => [kind, { refused: param }]))
const everywhere = refusedAt(...KINDS)

/** What becomes of each parameter, vendor by vendor; carried in the vendor's words, left out and named, or refused. */
const ROWS: Record<string, { body: object } & Partial<Record<Kind, Fate>>> = {
  temperature: {
    body: { temperature: 0.5 },
    mistral: { sent: { temperature: 0.5 } },
    cohere: { sent: { temperature: 0.5 } },
    'amazon-bedrock': inference({ temperature: 0.5 }),
    'google-vertex': generation({ temperature: 0.5 }),
  },
  top_p: {
    body: { top_p: 0.5 },
    mistral: { sent: { top_p: 0.5 } },
    cohere: { sent: { p: 0.5 } },
    'amazon-bedrock': inference({ topP: 0.5 }),
    'google-vertex': generation({ topP: 0.5 }),
  },
  top_k: {
    body: { top_k: 7 },
    mistral: { ignored: ['top_k'] },
    cohere: { sent: { k: 7 } },
    'google-vertex': generation({ topK: 7 }),
  },
  stop: {
    body: { stop: 'END' },
    mistral: { sent: { stop: ['END'] } },
    cohere: { sent: { stop_sequences: ['END'] } },
    'amazon-bedrock': inference({ stopSequences: ['END'] }),
    'google-vertex': generation({ stopSequences: ['END'] }),
  },
  seed: {
    body: { seed: 5 },
    mistral: { sent: { random_seed: 5 } },
    cohere: { sent: { seed: 5 } },
    'amazon-bedrock': { ignored: ['seed'] },
    'google-vertex': generation({ seed: 5 }),
  },
  presence_penalty: {
    body: { presence_penalty: 0.5 },
    mistral: { sent: { presence_penalty: 0.5 } },
    cohere: { sent: { presence_penalty: 0.5 } },
    'amazon-bedrock': { ignored: ['presence_penalty'] },
    'google-vertex': generation({ presencePenalty: 0.5 }),
  },
  frequency_penalty: {
    body: { frequency_penalty: 0.5 },
    mistral: { sent: { frequency_penalty: 0.5 } },
    cohere: { sent: { frequency_penalty: 0.5 } },
    'amazon-bedrock': { ignored: ['frequency_penalty'] },
    'google-vertex': generation({ frequencyPenalty: 0.5 }),
  },
  max_tokens: {
    body: { max_tokens: 77 },
    // The cap of the hold: here it was set apart.
    mistral: { sent: { max_tokens: 8000 } },
    cohere: { sent: { max_tokens: 8000 } },
    'amazon-bedrock': inference({ maxTokens: 8000 }),
    'google-vertex': generation({ maxOutputTokens: 8000 }),
  },
  'n above 8': { body: { n: 9 }, ...everywhere('n') },
  tools: {
    body: { tools: [TOOL], tool_choice: 'required' },
    mistral: { sent: { tools: [TOOL], tool_choice: 'any' } },
    cohere: { sent: { tools: [TOOL], tool_choice: 'REQUIRED' } },
    'amazon-bedrock': { sent: { toolConfig: { tools: [{ toolSpec: { name: 'f' } }], toolChoice: { any: {} } } } },
    'google-vertex': { sent: { toolConfig: { functionCallingConfig: { mode: 'ANY' } } } },
  },
  'tools with strict': {
    body: { tools: [{ ...TOOL, function: { ...TOOL.function, strict: true } }] },
    mistral: { sent: { tools: [{ function: { strict: true } }] } },
    cohere: { ignored: ['tools.strict'] },
    'amazon-bedrock': { ignored: ['tools.strict'] },
    'google-vertex': { sent: { toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } } },
  },
  parallel_tool_calls: {
    body: { tools: [TOOL], parallel_tool_calls: false },
    mistral: { sent: { parallel_tool_calls: false } },
    cohere: { ignored: ['parallel_tool_calls'] },
    'amazon-bedrock': { sent: {} },
    'google-vertex': { ignored: ['parallel_tool_calls'] },
  },
  'functions, function_call': { body: { functions: [{ name: 'f' }] }, ...everywhere('functions') },
  'response_format json_schema': {
    body: { response_format: { type: 'json_schema', json_schema: { name: 's', schema: SCHEMA, strict: true } } },
    mistral: { sent: { response_format: { type: 'json_schema', json_schema: { name: 's', schema: SCHEMA, strict: true } } } },
    cohere: { sent: { response_format: { type: 'json_object', json_schema: SCHEMA } } },
    'amazon-bedrock': { sent: { additionalModelRequestFields: { output_config: { format: { type: 'json_schema' } } } } },
    'google-vertex': generation({ responseMimeType: 'application/json', responseJsonSchema: { required: ['a'] } }),
  },
  'response_format json_schema, not strict': {
    body: { response_format: { type: 'json_schema', json_schema: { name: 's', schema: SCHEMA } } },
    mistral: { sent: { response_format: { json_schema: { strict: false } } } },
  },
  'response_format json_object': {
    body: { response_format: { type: 'json_object' } },
    mistral: { sent: { response_format: { type: 'json_object' } } },
    cohere: { sent: { response_format: { type: 'json_object' } } },
    'amazon-bedrock': { sent: { toolConfig: { tools: [{ toolSpec: { name: 'json' } }] } } },
    'google-vertex': generation({ responseMimeType: 'application/json' }),
  },
  reasoning_effort: {
    body: { reasoning_effort: 'high' },
    // This model of Mistral's does not think.
    mistral: { ignored: ['reasoning_effort'] },
    // Its thoughts and its answer are counted apart: they share what is held for.
    cohere: { sent: { max_tokens: 4000, thinking: { type: 'enabled', token_budget: 4000 } } },
    'amazon-bedrock': {
      sent: { inferenceConfig: { maxTokens: 8000 }, additionalModelRequestFields: { thinking: { budget_tokens: 6400 } } },
    },
    'google-vertex': generation({ thinkingConfig: { thinkingBudget: 6400, includeThoughts: true } }),
  },
  user: {
    body: { user: 'u-1' },
    mistral: { ignored: ['user'] },
    cohere: { ignored: ['user'] },
    'amazon-bedrock': { ignored: ['user'] },
    'google-vertex': { ignored: ['user'] },
  },
  cache_control: {
    body: user({ type: 'text', text: 'y', cache_control: { type: 'ephemeral' } }),
    mistral: { ignored: ['cache_control'] },
    cohere: { ignored: ['cache_control'] },
    'amazon-bedrock': { ignored: ['cache_control'] },
    'google-vertex': { ignored: ['cache_control'] },
  },
  'image_url with data:': {
    body: user({ type: 'image_url', image_url: { url: PNG } }),
    mistral: { sent: { messages: [{ content: [{}, { type: 'image_url', image_url: PNG }] }] } },
    cohere: { sent: { messages: [{ content: [{}, { type: 'image_url', image_url: { url: PNG } }] }] } },
    'amazon-bedrock': { sent: { messages: [{ content: [{}, { image: { format: 'png', source: { bytes: 'aGVsbG8=' } } }] }] } },
    'google-vertex': { sent: { contents: [{ parts: [{}, { inlineData: { data: 'aGVsbG8=' } }] }] } },
  },
  'image_url with an address': {
    body: user({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }),
    mistral: { sent: { messages: [{ content: [{}, { image_url: 'https://example.com/a.png' }] }] } },
    cohere: { sent: { messages: [{ content: [{}, { image_url: { url: 'https://example.com/a.png' } }] }] } },
    ...refusedAt('amazon-bedrock', 'google-vertex')('messages[0].content[1]'),
  },
  'image_url.detail': {
    body: user({ type: 'image_url', image_url: { url: PNG, detail: 'low' } }),
    mistral: { ignored: ['image_url.detail'] },
    cohere: { ignored: ['image_url.detail'] },
    'amazon-bedrock': { ignored: ['image_url.detail'] },
    'google-vertex': generation({ mediaResolution: 'MEDIA_RESOLUTION_LOW' }),
  },
  input_audio: {
    body: user({ type: 'input_audio', input_audio: { data: 'aGVsbG8=', format: 'wav' } }),
    ...refusedAt('mistral', 'cohere', 'amazon-bedrock')('messages[0].content[1]'),
    'google-vertex': { sent: { contents: [{ parts: [{}, { inlineData: { mimeType: 'audio/wav' } }] }] } },
  },
  'file, PDF': {
    body: user({ type: 'file', file: { file_data: 'data:application/pdf;base64,aGVsbG8=', filename: 'a.pdf' } }),
    mistral: { sent: { messages: [{ content: [{}, { type: 'document_url' }] }] } },
    ...refusedAt('cohere')('messages[0].content[1]'),
    'amazon-bedrock': { sent: { messages: [{ content: [{}, { document: { format: 'pdf' } }] }] } },
    'google-vertex': { sent: { contents: [{ parts: [{}, { inlineData: { mimeType: 'application/pdf' } }] }] } },
  },
  'messages of the role tool': {
    body: CALLED,
    // Its ids have nine letters and digits.
    mistral: { sent: { messages: [{}, { tool_calls: [{ id: OWN_ID }] }, { role: 'tool', tool_call_id: OWN_ID }] } },
    cohere: { sent: { messages: [{}, { tool_calls: [{ id: 'call_abc_1' }] }, { role: 'tool', tool_call_id: 'call_abc_1' }] } },
    'amazon-bedrock': {
      sent: {
        messages: [{}, { content: [{ toolUse: { toolUseId: 'call_abc_1' } }] }, { content: [{ toolResult: {} }] }],
        // It takes no calls without tools.
        toolConfig: { tools: [{ toolSpec: { name: 'f' } }] },
      },
    },
    'google-vertex': { sent: { contents: [{}, { parts: [{ functionCall: { name: 'f' } }] }, {}] } },
  },
  'logprobs, top_logprobs': { body: { logprobs: true }, ...everywhere('logprobs') },
  logit_bias: { body: { logit_bias: { '5': 1 } }, ...everywhere('logit_bias') },
  prediction: { body: { prediction: { type: 'content', content: 'x' } }, ...everywhere('prediction') },
  'any other field': {
    body: { verbosity: 'low' },
    ...(Object.fromEntries(KINDS.map((kind) => [kind, { ignored: ['verbosity'], absent: ['verbosity'] }])) as Record<Kind, Fate>),
  },
}

describe.each(Object.entries(ROWS))('%s', (_, row) => {
  test.each(KINDS.filter((kind) => row[kind] !== undefined))('at %s', async (kind) => {
    const { sent = {}, absent = [], ignored = [], refused } = row[kind] ?? {}
    if (refused !== undefined) {
      const error = await ask(kind, row.body).then(() => null, asRefusal)
      expect(error).toMatchObject({ condition: 'invalid_request', param: refused })
      return
    }
    const asked = await ask(kind, row.body)
    expect(asked.sent).toMatchObject(sent)
    for (const field of absent) expect(asked.sent).not.toHaveProperty(field)
    // A warning of the package that no table knows stands here as "other".
    expect(asked.ignored).toEqual(ignored)
  })
})

describe('thoughts fit into the cap', () => {
  test.each<[Kind, string, number, object, string[]]>([
    ['cohere', 'command-a-reasoning-08-2025', 1, { max_tokens: 1, thinking: { type: 'disabled' } }, ['reasoning_effort']],
    ['amazon-bedrock', MODELS['amazon-bedrock'], 1000, { inferenceConfig: { maxTokens: 1000 } }, ['reasoning_effort']],
    [
      'amazon-bedrock',
      'us.amazon.nova-2-lite-v1:0',
      1000,
      {
        inferenceConfig: { maxTokens: 1000 },
        additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } },
      },
      ['reasoning_effort'],
    ],
    ['mistral', 'magistral-medium-2507', 1000, { max_tokens: 1000 }, []],
  ])('%s: %s of %d', async (kind, model, cap, sent, ignored) => {
    const asked = await ask(kind, { reasoning_effort: 'high' }, { model, cap })
    expect(asked.sent).toMatchObject(sent)
    expect(asked.ignored).toEqual(ignored)
  })
})

describe('what Bedrock refuses together does not go there together', () => {
  const sampling = { temperature: 0.5, top_p: 0.5 }
  const thinks = { additionalModelRequestFields: { thinking: { budget_tokens: 6400 } } }
  const results = { messages: [{}, { content: [{ toolUse: { name: 'f' } }] }, { content: [{ toolResult: {} }] }] }
  const choice = (toolChoice: object) => ({ toolConfig: { toolChoice } })
  test.each<[string, object, object, string[], string?]>([
    ["Claude's two ways of sampling", sampling, { inferenceConfig: { maxTokens: 8000, temperature: 0.5 } }, ['top_p']],
    [
      'those of others',
      sampling,
      { inferenceConfig: { maxTokens: 8000, temperature: 0.5, topP: 0.5 } },
      [],
      'us.amazon.nova-pro-v1:0',
    ],
    [
      'thoughts and a call that has to be',
      { reasoning_effort: 'high', tools: [TOOL], tool_choice: 'required' },
      { ...thinks, ...choice({ auto: {} }) },
      ['tool_choice'],
    ],
    [
      'thoughts and a call of one function',
      { reasoning_effort: 'high', tools: [TOOL], tool_choice: { type: 'function', function: { name: 'f' } } },
      { ...thinks, ...choice({ auto: {} }) },
      ['tool_choice'],
    ],
    [
      'thoughts and the tool that stands for an object',
      { reasoning_effort: 'high', response_format: { type: 'json_object' } },
      { ...thinks, ...choice({ auto: {} }) },
      ['response_format'],
    ],
    ['thoughts in a turn that has called without any', { ...CALLED, reasoning_effort: 'high' }, results, ['reasoning_effort']],
    ['thoughts and calls that may be', { reasoning_effort: 'high', tools: [TOOL] }, thinks, []],
    [
      'a call that has to be, and the tool that stands for an object',
      { tools: [TOOL], tool_choice: 'required', response_format: { type: 'json_object' } },
      choice({ any: {} }),
      ['tool_choice'],
    ],
    [
      'calls that may be, and the tool that stands for an object',
      { tools: [TOOL], response_format: { type: 'json_object' } },
      choice({ any: {} }),
      [],
    ],
    [
      'results of calls, and none any more',
      { ...CALLED, tools: [TOOL], tool_choice: 'none' },
      { ...results, ...choice({ auto: {} }) },
      ['tool_choice'],
    ],
  ])('%s', async (_, body, sent, ignored, model: string = MODELS['amazon-bedrock']) => {
    const asked = await ask('amazon-bedrock', body, { model })
    expect(asked.sent).toMatchObject(sent)
    if ('inferenceConfig' in sent) expect(asked.sent.inferenceConfig).toEqual(sent.inferenceConfig)
    expect(asked.ignored).toEqual(ignored)
  })

  test('Claude gets no choice at the root of what a tool takes, which it refuses; others do', async () => {
    const parameters = { type: 'object', anyOf: [{ properties: { a: { type: 'string' } } }] }
    const body = { tools: [{ type: 'function', function: { name: 'f', parameters } }] }
    const flat = { type: 'object', properties: { a: { type: 'string' } }, required: [] }
    const schemaOf = (json: object) => ({ toolConfig: { tools: [{ toolSpec: { inputSchema: { json } } }] } })
    const claude = await ask('amazon-bedrock', body)
    expect(claude).toMatchObject({ sent: schemaOf(flat), ignored: ['tools.parameters'] })
    expect(JSON.stringify(claude.sent)).not.toContain('anyOf')
    const nova = await ask('amazon-bedrock', body, { model: 'us.amazon.nova-pro-v1:0' })
    expect(nova).toMatchObject({ sent: schemaOf(parameters), ignored: [] })
  })

  test('no two files have one name, which it refuses', async () => {
    const file = (filename: string) => ({ type: 'file', file: { file_data: 'data:application/pdf;base64,aGVsbG8=', filename } })
    const names = ['Q3 report.pdf', 'Q3  report.v2.pdf', 'résumé.pdf', '报告.pdf', 'document-1.pdf', 'other.pdf']
    const { sent } = await ask('amazon-bedrock', {
      messages: [
        { role: 'user', content: [...names.map(file), { type: 'text', text: 'x' }] },
        { role: 'assistant', content: 'y' },
        { role: 'user', content: [file('Q3 report.pdf'), { type: 'text', text: 'z' }] },
      ],
    })
    const contents = (sent.messages as { content: { document?: { name: string } }[] }[]).flatMap(({ content }) => content)
    const given = contents.flatMap(({ document }) => (document ? [document.name] : []))
    expect(given).toEqual(['Q3 report', 'document-1', 'rsum', 'document-2', 'document-3', 'other', 'document-4'])
  })

  test('a tool has not the name of the one that stands for an object', async () => {
    const tools = [{ ...TOOL, function: { ...TOOL.function, name: 'json' } }]
    const refused = ask('amazon-bedrock', { tools, response_format: { type: 'json_object' } }).then(() => null, asRefusal)
    expect(await refused).toMatchObject({ condition: 'invalid_request', param: 'tools[0].function.name' })
    expect(await ask('amazon-bedrock', { tools })).toMatchObject({ ignored: [] })
  })

  test('nor stand tools beside it of which none may be called', async () => {
    const body = { tools: [TOOL], tool_choice: 'none', response_format: { type: 'json_object' } }
    const asked = await ask('amazon-bedrock', body)
    expect(asked.sent).toMatchObject({ toolConfig: { tools: [{ toolSpec: { name: 'json' } }] } })
    expect(asked.ignored).toEqual([])
  })

  test('tools without a call so far are left out where none may be called', async () => {
    const asked = await ask('amazon-bedrock', { tools: [TOOL], tool_choice: 'none' })
    expect(asked.sent).not.toHaveProperty('toolConfig')
    expect(asked.ignored).toEqual([])
  })
})

describe('a model of Cohere that thinks unless it is told not to', () => {
  const model = 'command-a-reasoning-08-2025'
  test.each([
    [1000, { max_tokens: 500, thinking: { type: 'enabled', token_budget: 500 } }],
    [1, { max_tokens: 1, thinking: { type: 'disabled' } }],
  ])('thinks within a cap of %d though nobody asks for it', async (cap, sent) => {
    const asked = await ask('cohere', {}, { model, cap })
    expect(asked.sent).toMatchObject(sent)
    expect(asked.ignored).toEqual([])
  })
  test('does not think where the request says so, and others are not told to', async () => {
    expect((await ask('cohere', { reasoning_effort: 'none' }, { model, cap: 1000 })).sent).toMatchObject({
      max_tokens: 1000,
      thinking: { type: 'disabled' },
    })
    expect((await ask('cohere', {}, { cap: 1000 })).sent).not.toHaveProperty('thinking')
  })
})

describe('errors keep their status, and say what their vendor said', () => {
  test.each<[Kind, number, object, number]>([
    ['mistral', 422, { detail: [{ loc: ['body', 'x'], msg: 'no' }] }, 422],
    ['mistral', 401, { message: 'Unauthorized', request_id: 'x' }, 401],
    ['mistral', 400, { object: 'error', message: 'too long', type: 'x', param: null, code: '3051' }, 400],
    ['cohere', 400, { message: 'invalid request' }, 400],
    ['cohere', 429, { message: 'limit' }, 429],
    ['amazon-bedrock', 400, { message: 'The provided model identifier is invalid.' }, 404],
    ['amazon-bedrock', 400, { message: "You don't have access to the model with the specified model ID." }, 404],
    ['amazon-bedrock', 400, { message: 'Invocation of model ID x.y with on-demand throughput isn’t supported.' }, 404],
    ['amazon-bedrock', 400, { message: 'Malformed input request' }, 400],
    // What a vendor quotes are the sender's words, and no fault of the operator's.
    ['amazon-bedrock', 400, { message: "1 validation error: Value 'operation not allowed' at 'toolUse.name' failed" }, 400],
    ['amazon-bedrock', 403, { message: 'The security token is invalid' }, 403],
    ['amazon-bedrock', 429, { message: 'Too many tokens' }, 429],
    ['google-vertex', 400, { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }, 400],
    ['google-vertex', 400, { error: { code: 400, message: 'no', status: 'FAILED_PRECONDITION' } }, 403],
  ])('%s %d %j', async (kind, status, text, expected) => {
    vendor.answer((call) => sendJson(call, text, status))
    for (const stream of [false, true]) {
      const answer = (await run(kind, {}, { stream })) as WireAnswer
      expect(answer).toMatchObject({ k: 'wire', status: expected })
      let said = ''
      for await (const bytes of answer.body) said += Buffer.from(bytes).toString()
      expect(JSON.parse(said)).toEqual(text)
    }
  })

  test("an exception in Bedrock's stream breaks it off", async () => {
    vendor.answer(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
      response.write(bedrockFrame('messageStart', { role: 'assistant' }))
      response.write(bedrockFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hel' } }))
      response.end(bedrockFrame('throttlingException', { message: 'slow down' }, 'exception'))
    })
    const answer = await run('amazon-bedrock', {}, { stream: true })
    if (answer.k !== 'parts') throw new Error(`status ${answer.status}`)
    const types: string[] = []
    for await (const { part } of answer.parts) types.push(part.type)
    expect(types).toContain('text-delta')
    expect(types).toContain('error')
  })
})

describe("Bedrock's credentials", () => {
  const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const hex = (text: string): string => createHash('sha256').update(text).digest('hex')

  /** Amazon's signature, version 4, of what came. Source: AWS, "Create a signed AWS API request". */
  function signatureOf(call: Call, secret: string, region: string, sentBody: string): string {
    const { authorization = '' } = call.headers
    const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
    const headers = names.map((name) => `${name}:${String(call.headers[name]).trim()}\n`).join('')
    const path = call.path.split('/').map(encodeURIComponent).join('/')
    const canonical = ['POST', path, '', headers, names.join(';'), hex(sentBody)].join('\n')
    const time = String(call.headers['x-amz-date'])
    const scope = `${time.slice(0, 8)}/${region}/bedrock/aws4_request`
    const key = [region, 'bedrock', 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secret}`, time.slice(0, 8)))
    return hmac(key, ['AWS4-HMAC-SHA256', time, scope, hex(canonical)].join('\n')).toString('hex')
  }

  test('an access key signs what really leaves, after the gate has changed it', async () => {
    const secret = JSON.stringify({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalr/secret', sessionToken: 'session' })
    const { sent } = await ask('amazon-bedrock', { reasoning_effort: 'high' }, { secret, cap: 2000 })
    expect(sent).toMatchObject({ inferenceConfig: { maxTokens: 2000 } })
    const call = vendor.calls.at(-1) as Call
    const { authorization = '', 'x-amz-security-token': session } = call.headers
    expect(session).toBe('session')
    expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, /)
    const expected = signatureOf(call, 'wJalr/secret', 'us-east-1', JSON.stringify(sent))
    expect(authorization).toContain(`Signature=${expected}`)
  })

  test('an API key is a bearer token', async () => {
    await ask('amazon-bedrock', {}, { secret: 'ABSK-key' })
    expect(vendor.calls.at(-1)?.headers.authorization).toBe('Bearer ABSK-key')
  })

  test('half an access key is the operator’s mistake, and nothing is sent', async () => {
    const before = vendor.calls.length
    const failed = run('amazon-bedrock', {}, { secret: JSON.stringify({ accessKeyId: 'A' }) })
    await expect(failed).rejects.toMatchObject({ mark: 'vendor_failure', kind: 'misconfigured' })
    expect(vendor.calls.length).toBe(before)
  })
})

describe("Vertex's credentials", () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const keyFile = (name: string): string =>
    JSON.stringify({
      type: 'service_account',
      client_email: `${name}@p`,
      private_key: pem,
      token_uri: `${new URL(vendor.url).origin}/token`,
    })

  /** Answers as Google's token service, and as Vertex. */
  function answerTokens(given: string[], status = 200): void {
    vendor.answer((call) => {
      if (call.path !== '/token') return sendJson(call, ANSWERS['google-vertex'])
      given.push(String(call.body.assertion))
      sendJson(
        call,
        status === 200 ? { access_token: `token-${given.length}`, expires_in: 3600 } : { error: 'invalid_grant' },
        status,
      )
    })
  }

  test('a service account asks for one token, for all calls', async () => {
    const given: string[] = []
    answerTokens(given)
    const secret = keyFile('one')
    await Promise.all([run('google-vertex', {}, { secret }), run('google-vertex', {}, { secret })])
    await run('google-vertex', {}, { secret })
    expect(given).toHaveLength(1)
    const [head = '', claims = '', signature = ''] = (given[0] ?? '').split('.')
    expect(createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url')).toBe(true)
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: 'one@p',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    })
    const { authorization, 'x-goog-api-key': apiKey } = vendor.calls.at(-1)?.headers ?? {}
    expect({ authorization, apiKey }).toEqual({ authorization: 'Bearer token-1', apiKey: undefined })
    // The same file as one of several fields.
    await run('google-vertex', {}, { secret: JSON.stringify({ serviceAccount: secret }) })
    expect(given).toHaveLength(1)
  })

  test('an account that gets no token is the operator’s mistake, and is asked for again', async () => {
    const given: string[] = []
    const secret = keyFile('two')
    answerTokens(given, 400)
    await expect(run('google-vertex', {}, { secret })).rejects.toMatchObject({ kind: 'misconfigured' })
    answerTokens(given)
    expect(await run('google-vertex', {}, { secret })).toMatchObject({ k: 'parts' })
    expect(given).toHaveLength(2)
  })

  test('half a key file is the operator’s mistake', async () => {
    await expect(run('google-vertex', {}, { secret: '{"type":"service_account"}' })).rejects.toMatchObject({
      kind: 'misconfigured',
    })
  })

  test('an API key goes as one', async () => {
    await ask('google-vertex', {}, { secret: 'AIza-key' })
    const { authorization, 'x-goog-api-key': apiKey } = vendor.calls.at(-1)?.headers ?? {}
    expect({ authorization, apiKey }).toEqual({ authorization: undefined, apiKey: 'AIza-key' })
  })
})
