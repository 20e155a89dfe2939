import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { asRefusal } from '#lib/domain/errors'
import type { WireAnswer } from '#lib/vendors/vendor'
import {
  ANSWERS,
  bridgedAsks,
  type Kind,
  MODELS,
  OTHERS,
  SCHEMA,
  TOOL,
  TOOL_CALL_CONVERSATION,
  user,
} from '../fakes/bridged-asks.ts'
import { sendJson } from '../fakes/vendor.ts'

const asks = bridgedAsks()
const { ask, run } = asks

type ParameterOutcome = { sent?: object; absent?: string[]; ignored?: string[]; refused?: string }

const generation = (config: object): ParameterOutcome => ({ sent: { generationConfig: config } })
const inference = (config: object): ParameterOutcome => ({ sent: { inferenceConfig: config } })
const PNG = 'data:image/png;base64,aGVsbG8='
const HASHED_CALL_ID = createHash('sha256').update('call_abc_1').digest('hex').slice(0, 9)
const refusedBy =
  (...kinds: Kind[]) =>
  (param: string): Partial<Record<Kind, ParameterOutcome>> =>
    Object.fromEntries(kinds.map((kind) => [kind, { refused: param }]))
const refusedByAll = refusedBy(...OTHERS)

/** The outcome of each parameter, by vendor: carried in the vendor's own terms, left out and reported, or refused. */
const ROWS: Record<string, { body: object } & Partial<Record<Kind, ParameterOutcome>>> = {
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
    // The cap comes from the hold, which these tests set separately.
    mistral: { sent: { max_tokens: 8000 } },
    cohere: { sent: { max_tokens: 8000 } },
    'amazon-bedrock': inference({ maxTokens: 8000 }),
    'google-vertex': generation({ maxOutputTokens: 8000 }),
  },
  'n above 8': { body: { n: 9 }, ...refusedByAll('n') },
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
  'functions, function_call': { body: { functions: [{ name: 'f' }] }, ...refusedByAll('functions') },
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
    // This Mistral model does not reason.
    mistral: { ignored: ['reasoning_effort'] },
    // Thoughts and answer are counted separately, and share the tokens that are held.
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
    ...refusedBy('amazon-bedrock', 'google-vertex')('messages[0].content[1]'),
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
    ...refusedBy('mistral', 'cohere', 'amazon-bedrock')('messages[0].content[1]'),
    'google-vertex': { sent: { contents: [{ parts: [{}, { inlineData: { mimeType: 'audio/wav' } }] }] } },
  },
  'file, PDF': {
    body: user({ type: 'file', file: { file_data: 'data:application/pdf;base64,aGVsbG8=', filename: 'a.pdf' } }),
    mistral: { sent: { messages: [{ content: [{}, { type: 'document_url' }] }] } },
    ...refusedBy('cohere')('messages[0].content[1]'),
    'amazon-bedrock': { sent: { messages: [{ content: [{}, { document: { format: 'pdf' } }] }] } },
    'google-vertex': { sent: { contents: [{ parts: [{}, { inlineData: { mimeType: 'application/pdf' } }] }] } },
  },
  'messages of the role tool': {
    body: TOOL_CALL_CONVERSATION,
    // Mistral's ids have nine letters and digits.
    mistral: {
      sent: { messages: [{}, { tool_calls: [{ id: HASHED_CALL_ID }] }, { role: 'tool', tool_call_id: HASHED_CALL_ID }] },
    },
    cohere: { sent: { messages: [{}, { tool_calls: [{ id: 'call_abc_1' }] }, { role: 'tool', tool_call_id: 'call_abc_1' }] } },
    'amazon-bedrock': {
      sent: {
        messages: [{}, { content: [{ toolUse: { toolUseId: 'call_abc_1' } }] }, { content: [{ toolResult: {} }] }],
        // Bedrock accepts no calls without tools.
        toolConfig: { tools: [{ toolSpec: { name: 'f' } }] },
      },
    },
    'google-vertex': { sent: { contents: [{}, { parts: [{ functionCall: { name: 'f' } }] }, {}] } },
  },
  'a message of a user after the outputs of tools': {
    body: { messages: [...TOOL_CALL_CONVERSATION.messages, { role: 'user', content: 'Stop.' }] },
    mistral: {
      sent: {
        messages: [{}, {}, { role: 'tool' }, { role: 'assistant', content: 'OK.' }, { role: 'user' }],
      },
    },
    cohere: { sent: { messages: [{}, {}, { role: 'tool' }, { role: 'user' }] } },
  },
  'logprobs, top_logprobs': { body: { logprobs: true }, ...refusedByAll('logprobs') },
  logit_bias: { body: { logit_bias: { '5': 1 } }, ...refusedByAll('logit_bias') },
  prediction: { body: { prediction: { type: 'content', content: 'x' } }, ...refusedByAll('prediction') },
  'any other field': {
    body: { verbosity: 'low' },
    ...(Object.fromEntries(OTHERS.map((kind) => [kind, { ignored: ['verbosity'], absent: ['verbosity'] }])) as Record<
      Kind,
      ParameterOutcome
    >),
  },
}

describe.each(Object.entries(ROWS))('%s', (_, row) => {
  test.each(OTHERS.filter((kind) => row[kind] !== undefined))('at %s', async (kind) => {
    const { sent = {}, absent = [], ignored = [], refused } = row[kind] ?? {}
    if (refused !== undefined) {
      const error = await ask(kind, row.body).then(() => null, asRefusal)
      expect(error).toMatchObject({ condition: 'invalid_request', param: refused })
      return
    }
    const outcome = await ask(kind, row.body)
    expect(outcome.sent).toMatchObject(sent)
    for (const field of absent) expect(outcome.sent).not.toHaveProperty(field)
    // A warning of the package that no table knows would be listed here as "other".
    expect(outcome.ignored).toEqual(ignored)
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
    const outcome = await ask(kind, { reasoning_effort: 'high' }, { model, cap })
    expect(outcome.sent).toMatchObject(sent)
    expect(outcome.ignored).toEqual(ignored)
  })
})

describe('a model of Cohere that thinks unless it is told not to', () => {
  const model = 'command-a-reasoning-08-2025'
  test.each([
    [1000, { max_tokens: 500, thinking: { type: 'enabled', token_budget: 500 } }],
    [1, { max_tokens: 1, thinking: { type: 'disabled' } }],
  ])('thinks within a cap of %d though nobody asks for it', async (cap, sent) => {
    const outcome = await ask('cohere', {}, { model, cap })
    expect(outcome.sent).toMatchObject(sent)
    expect(outcome.ignored).toEqual([])
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
    ['cohere', 498, { message: 'blocked output: this generation may be potentially unsafe' }, 400],
    ['amazon-bedrock', 400, { message: 'The provided model identifier is invalid.' }, 404],
    ['amazon-bedrock', 400, { message: "You don't have access to the model with the specified model ID." }, 404],
    ['amazon-bedrock', 400, { message: 'Invocation of model ID x.y with on-demand throughput isn’t supported.' }, 404],
    ['amazon-bedrock', 400, { message: 'Malformed input request' }, 400],
    // What a vendor quotes are the sender's words, and not the operator's fault.
    ['amazon-bedrock', 400, { message: "1 validation error: Value 'operation not allowed' at 'toolUse.name' failed" }, 400],
    ['amazon-bedrock', 403, { message: 'The security token is invalid' }, 403],
    ['amazon-bedrock', 429, { message: 'Too many tokens' }, 429],
    ['google-vertex', 400, { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }, 400],
    ['google-vertex', 400, { error: { code: 400, message: 'no', status: 'FAILED_PRECONDITION' } }, 403],
  ])('%s %d %j', async (kind, status, text, expected) => {
    asks.vendor.answer((call) => sendJson(call, text, status))
    for (const stream of [false, true]) {
      const answer = (await run(kind, {}, { stream })) as WireAnswer
      expect(answer).toMatchObject({ k: 'wire', status: expected })
      let bodyText = ''
      for await (const bytes of answer.body) bodyText += Buffer.from(bytes).toString()
      expect(JSON.parse(bodyText)).toEqual(text)
    }
  })
})

test('an answer of Cohere that cites what a tool returned is one', async () => {
  const source = { type: 'tool', id: 'f_1:0', tool_output: { temp: '20' } }
  const { message, ...rest } = ANSWERS.cohere as { message: object }
  asks.vendor.answer((call) =>
    sendJson(call, { ...rest, message: { ...message, citations: [{ start: 0, end: 2, text: 'ok', sources: [source] }] } }),
  )
  const answer = await run('cohere', {})
  if (answer.k !== 'parts') throw new Error(`status ${answer.status}`)
  const parts: unknown[] = []
  for await (const { part } of answer.parts) parts.push(part)
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text-delta', delta: 'ok' }))
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' } })
})
