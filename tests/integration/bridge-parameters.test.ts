import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Connection } from '#lib/domain/catalog'
import { asRefusal } from '#lib/domain/errors'
import { VendorRegistry } from '#lib/vendors/registry'
import { chatCompletions } from '#lib/wire/chat'
import { claudeAnswer, claudeText, geminiAnswer, sayClaude, sayGemini } from '../fakes/bridged-vendors.ts'
import { type FakeVendor, startFakeVendor } from '../fakes/vendor.ts'

type Kind = 'anthropic' | 'google'
const MODELS = { anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-pro' } as const

let vendor: FakeVendor
const registry = new VendorRegistry()

beforeAll(async () => {
  vendor = await startFakeVendor()
})
afterAll(async () => {
  await registry.close()
  await vendor?.[Symbol.asyncDispose]()
})

interface Asked {
  /** What the vendor got. */
  sent: Record<string, unknown>
  ignored: readonly string[]
}

/** Asks through the real provider package, as the gateway does. Throws the refusal where the request is one. */
async function ask(kind: Kind, body: object, upstreamModel: string = MODELS[kind], cap = 8000): Promise<Asked> {
  vendor.answer(kind === 'anthropic' ? sayClaude(claudeAnswer([claudeText('ok')])) : sayGemini(geminiAnswer([{ text: 'ok' }])))
  const connection: Connection = {
    id: kind,
    name: kind,
    kind,
    baseUrl: vendor.url,
    secret: 'vendor-secret',
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
  const before = vendor.calls.length
  const answer = await bridge.run({
    deployment: { id: 'dep', upstreamModel, weight: 1, priority: 1, connection },
    connection,
    ask: language.ask(work, bridge.skills(upstreamModel)),
    stream: false,
    cap,
    choices: parsed.n ?? 1,
    signal: new AbortController().signal,
    sending: () => undefined,
  })
  if (answer.k !== 'parts') throw new Error(`status ${answer.status}`)
  expect(vendor.calls.length - before).toBe(parsed.n ?? 1)
  return { sent: vendor.calls.at(-1)?.body ?? {}, ignored: answer.ignored }
}

/** What a row of the table says of one vendor. */
type Fate = { sent?: object; absent?: string[]; ignored?: string[]; refused?: string }

interface Row {
  body: object
  anthropic: Fate
  google: Fate
}

const generation = (config: object) => ({ generationConfig: config })
const refused = (param: string): { anthropic: Fate; google: Fate } => ({
  anthropic: { refused: param },
  google: { refused: param },
})
const user = (part: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, part] }] })
const TOOL = { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } } }
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const FORMAT = { type: 'json_schema', json_schema: { name: 's', schema: SCHEMA, strict: true } }
const PNG = 'data:image/png;base64,aGVsbG8='
const PDF = 'data:application/pdf;base64,aGVsbG8='
const MARK = { cache_control: { type: 'ephemeral' } }

/** One row of the table in lib/vendors/README.md each, by its name there. */
const ROWS: Record<string, Row> = {
  temperature: {
    body: { temperature: 1.5 },
    anthropic: { sent: { temperature: 1 }, ignored: ['temperature'] },
    google: { sent: generation({ temperature: 1.5 }) },
  },
  top_p: { body: { top_p: 0.5 }, anthropic: { sent: { top_p: 0.5 } }, google: { sent: generation({ topP: 0.5 }) } },
  top_k: { body: { top_k: 7 }, anthropic: { sent: { top_k: 7 } }, google: { sent: generation({ topK: 7 }) } },
  stop: {
    body: { stop: 'END' },
    anthropic: { sent: { stop_sequences: ['END'] } },
    google: { sent: generation({ stopSequences: ['END'] }) },
  },
  seed: { body: { seed: 5 }, anthropic: { ignored: ['seed'] }, google: { sent: generation({ seed: 5 }) } },
  presence_penalty: {
    body: { presence_penalty: 0.5 },
    anthropic: { ignored: ['presence_penalty'] },
    google: { ignored: ['presence_penalty'] },
  },
  frequency_penalty: {
    body: { frequency_penalty: 0.5 },
    anthropic: { ignored: ['frequency_penalty'] },
    google: { ignored: ['frequency_penalty'] },
  },
  'max_tokens, max_completion_tokens': {
    body: { max_completion_tokens: 77 },
    // The cap of the hold: here it was set apart.
    anthropic: { sent: { max_tokens: 8000 } },
    google: { sent: generation({ maxOutputTokens: 8000 }) },
  },
  n: { body: { n: 3 }, anthropic: { absent: ['n'] }, google: { absent: ['n'] } },
  'n above 8': { body: { n: 9 }, ...refused('n') },
  tools: {
    body: { tools: [TOOL] },
    anthropic: { sent: { tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' } }] } },
    google: { sent: { tools: [{ functionDeclarations: [{ name: 'f', description: 'd' }] }] } },
  },
  'tools whose parameters are anyOf, oneOf or allOf at their root': {
    body: { tools: [{ ...TOOL, function: { name: 'f', parameters: { anyOf: [SCHEMA, { properties: { z: {} } }] } } }] },
    anthropic: {
      sent: { tools: [{ input_schema: { type: 'object', properties: { z: {} } } }] },
      ignored: ['tools.parameters'],
    },
    google: { sent: { tools: [{ functionDeclarations: [{ parametersJsonSchema: { anyOf: [SCHEMA, {}] } }] }] } },
  },
  'tools with strict': {
    body: { tools: [{ ...TOOL, function: { ...TOOL.function, strict: true } }] },
    anthropic: { sent: { tools: [{ strict: true }] } },
    google: { sent: { toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } } },
  },
  'tools of the type custom': { body: { tools: [{ type: 'custom', custom: { name: 'c' } }] }, ...refused('tools[0]') },
  'tools with one called json, beside a response_format': {
    body: { tools: [{ ...TOOL, function: { ...TOOL.function, name: 'json' } }], response_format: FORMAT },
    anthropic: { refused: 'tools[0].function.name' },
    google: { sent: { tools: [{ functionDeclarations: [{ name: 'json' }, { name: 'json_1', parametersJsonSchema: SCHEMA }] }] } },
  },
  tool_choice: {
    body: { tools: [TOOL], tool_choice: { type: 'function', function: { name: 'f' } } },
    anthropic: { sent: { tool_choice: { type: 'tool', name: 'f' } } },
    google: { sent: { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } } } },
  },
  'tool_choice that names what is not in tools, or is required without any': {
    body: { tool_choice: 'required' },
    ...refused('tool_choice'),
  },
  parallel_tool_calls: {
    body: { tools: [TOOL], parallel_tool_calls: false },
    anthropic: { sent: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } } },
    google: { ignored: ['parallel_tool_calls'] },
  },
  'functions, function_call': { body: { functions: [{ name: 'f' }] }, ...refused('functions') },
  'response_format json_schema': {
    body: { response_format: FORMAT },
    anthropic: { sent: { output_config: { format: { type: 'json_schema', schema: { required: ['a'] } } } } },
    google: { sent: generation({ responseMimeType: 'application/json', responseJsonSchema: { required: ['a'] } }) },
  },
  'response_format json_object': {
    body: { response_format: { type: 'json_object' } },
    anthropic: { sent: { tools: [{ name: 'json' }], tool_choice: { type: 'any' } } },
    google: { sent: generation({ responseMimeType: 'application/json' }) },
  },
  reasoning_effort: {
    body: { reasoning_effort: 'high' },
    // 80 hundredths of the cap: the package alone would have asked for 38,400 tokens on top of it.
    anthropic: { sent: { max_tokens: 8000, thinking: { type: 'enabled', budget_tokens: 6400 } } },
    google: {
      sent: generation({ maxOutputTokens: 8000, thinkingConfig: { thinkingBudget: 6400, includeThoughts: true } }),
    },
  },
  'reasoning_effort of another word': { body: { reasoning_effort: 'a lot' }, ...refused('reasoning_effort') },
  'reasoning_details, extra_content': {
    body: {
      messages: [
        { role: 'user', content: 'x' },
        {
          role: 'assistant',
          content: 'y',
          reasoning_content: 'left out',
          reasoning_details: [
            { type: 'reasoning.text', text: 't', signature: 'A==', format: 'anthropic-claude-v1', index: 0 },
            { type: 'reasoning.text', text: 't', signature: 'G==', format: 'google-gemini-v1', index: 0 },
          ],
        },
        { role: 'user', content: 'z' },
      ],
    },
    anthropic: {
      sent: { messages: [{}, { content: [{ type: 'thinking', thinking: 't', signature: 'A==' }, { text: 'y' }] }, {}] },
    },
    google: {
      sent: { contents: [{}, { parts: [{ text: 't', thought: true, thoughtSignature: 'G==' }, { text: 'y' }] }, {}] },
    },
  },
  user: { body: { user: 'u-1' }, anthropic: { sent: { metadata: { user_id: 'u-1' } } }, google: { ignored: ['user'] } },
  cache_control: {
    body: user({ type: 'text', text: 'y', ...MARK }),
    anthropic: { sent: { messages: [{ content: [{ text: 'x' }, { text: 'y', cache_control: { type: 'ephemeral' } }] }] } },
    google: { ignored: ['cache_control'] },
  },
  'cache_control of an hour': {
    body: user({ type: 'text', text: 'y', cache_control: { type: 'ephemeral', ttl: '1h' } }),
    ...refused('cache_control'),
  },
  'image_url with data:': {
    body: user({ type: 'image_url', image_url: { url: PNG } }),
    anthropic: {
      sent: { messages: [{ content: [{}, { type: 'image', source: { type: 'base64', media_type: 'image/png' } }] }] },
    },
    google: { sent: { contents: [{ parts: [{}, { inlineData: { mimeType: 'image/png', data: 'aGVsbG8=' } }] }] } },
  },
  'image_url with an address': {
    body: user({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }),
    anthropic: { sent: { messages: [{ content: [{}, { source: { type: 'url', url: 'https://example.com/a.png' } }] }] } },
    google: { refused: 'messages[0].content[1]' },
  },
  'image_url.detail': {
    body: user({ type: 'image_url', image_url: { url: PNG, detail: 'low' } }),
    anthropic: { ignored: ['image_url.detail'] },
    google: { sent: generation({ mediaResolution: 'MEDIA_RESOLUTION_LOW' }) },
  },
  input_audio: {
    body: user({ type: 'input_audio', input_audio: { data: 'aGVsbG8=', format: 'wav' } }),
    anthropic: { refused: 'messages[0].content[1]' },
    google: { sent: { contents: [{ parts: [{}, { inlineData: { mimeType: 'audio/wav' } }] }] } },
  },
  video_url: {
    body: user({ type: 'video_url', video_url: { url: 'data:video/mp4;base64,aGVsbG8=' } }),
    anthropic: { refused: 'messages[0].content[1]' },
    google: { sent: { contents: [{ parts: [{}, { inlineData: { mimeType: 'video/mp4' } }] }] } },
  },
  file: {
    body: user({ type: 'file', file: { file_data: PDF, filename: 'a.pdf' } }),
    anthropic: { sent: { messages: [{ content: [{}, { type: 'document', title: 'a.pdf' }] }] } },
    google: { sent: { contents: [{ parts: [{}, { inlineData: { mimeType: 'application/pdf' } }] }] } },
  },
  'file of another type': {
    body: user({ type: 'file', file: { file_data: 'data:application/zip;base64,aGVsbG8=' } }),
    ...refused('messages[0].content[1]'),
  },
  'system, developer': {
    body: {
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'x' },
        { role: 'developer', content: 'd' },
      ],
    },
    anthropic: {
      sent: { system: [{ text: 's' }, { text: 'd' }], messages: [{ role: 'user' }] },
      ignored: ['messages.role'],
    },
    google: {
      sent: { systemInstruction: { parts: [{ text: 's' }, { text: 'd' }] }, contents: [{ role: 'user' }] },
      ignored: ['messages.role'],
    },
  },
  'system, developer alone': {
    body: {
      messages: [
        { role: 'system', content: 's' },
        { role: 'developer', content: 'd' },
      ],
    },
    anthropic: {
      sent: { system: [{ text: 's' }], messages: [{ role: 'user', content: [{ type: 'text', text: 'd' }] }] },
      ignored: ['messages.role'],
    },
    google: {
      sent: { systemInstruction: { parts: [{ text: 's' }] }, contents: [{ role: 'user', parts: [{ text: 'd' }] }] },
      ignored: ['messages.role'],
    },
  },
  'texts of blanks alone': {
    body: {
      messages: [
        { role: 'system', content: '' },
        { role: 'developer', content: [{ type: 'text', text: ' ' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'x' },
          ],
        },
        {
          role: 'assistant',
          content: '\n\n',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: '' },
      ],
    },
    anthropic: {
      absent: ['system'],
      sent: {
        messages: [
          { content: [{ type: 'text', text: 'x' }] },
          { content: [{ type: 'tool_use', id: 'c' }] },
          { content: [{ type: 'tool_result', content: '' }] },
        ],
      },
    },
    google: {
      absent: ['systemInstruction'],
      sent: { contents: [{ parts: [{ text: 'x' }] }, { parts: [{ functionCall: { name: 'f' } }] }, {}] },
    },
  },
  'messages of the role assistant that say nothing': {
    body: {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: '' },
        { role: 'user', content: 'y' },
      ],
    },
    anthropic: { sent: { messages: [{ role: 'user', content: [{ text: 'x' }, { text: 'y' }] }] } },
    google: { sent: { contents: [{ role: 'user' }, { role: 'user' }] } },
  },
  'messages of the role tool': {
    body: {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', tool_calls: [{ id: 'call.1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] },
        { role: 'tool', tool_call_id: 'call.1', content: 'done' },
      ],
    },
    anthropic: {
      sent: {
        messages: [
          {},
          { content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } }] },
          { content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'done' }] },
        ],
      },
    },
    google: {
      sent: {
        contents: [
          {},
          { parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
          { parts: [{ functionResponse: { name: 'f', response: { content: 'done' } } }] },
        ],
      },
    },
  },
  'tool_calls whose arguments are no JSON object': {
    body: {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'These arguments are no JSON.' },
      ],
    },
    anthropic: { sent: { messages: [{}, { content: [{ type: 'tool_use', input: { INVALID_JSON: '{"a":' } }] }, {}] } },
    google: { sent: { contents: [{}, { parts: [{ functionCall: { args: { INVALID_JSON: '{"a":' } } }] }, {}] } },
  },
  'messages of the role tool without their call': {
    body: {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'tool', tool_call_id: 'c', content: 'done' },
      ],
    },
    ...refused('messages[1].tool_call_id'),
  },
  'messages of the role function': {
    body: {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'function', name: 'f', content: 'y' },
      ],
    },
    ...refused('messages[1].role'),
  },
  'name of a message': {
    body: { messages: [{ role: 'user', content: 'x', name: 'n' }] },
    anthropic: { ignored: ['messages.name'] },
    google: { ignored: ['messages.name'] },
  },
  'logprobs, top_logprobs': { body: { logprobs: true }, ...refused('logprobs') },
  logit_bias: { body: { logit_bias: { '5': 1 } }, ...refused('logit_bias') },
  prediction: { body: { prediction: { type: 'content', content: 'x' } }, ...refused('prediction') },
  'modalities, audio': { body: { modalities: ['audio'] }, ...refused('modalities[0]') },
  store: { body: { store: true }, anthropic: { absent: ['store'] }, google: { absent: ['store'] } },
  service_tier: {
    body: { service_tier: 'default' },
    anthropic: { absent: ['service_tier'] },
    google: { absent: ['service_tier'] },
  },
  'any other field': {
    body: { verbosity: 'low', metadata: { a: 'b' }, 'odd name': 1 },
    anthropic: { ignored: ['metadata', 'odd_name', 'verbosity'], absent: ['verbosity', 'metadata'] },
    google: { ignored: ['metadata', 'odd_name', 'verbosity'], absent: ['verbosity', 'metadata'] },
  },
}

describe.each(Object.entries(ROWS))('%s', (_, row) => {
  test.each(['anthropic', 'google'] as const)('at %s', async (kind) => {
    const { sent = {}, absent = [], ignored = [], refused: param } = row[kind]
    if (param !== undefined) {
      const error = await ask(kind, row.body).then(() => null, asRefusal)
      expect(error).toMatchObject({ condition: 'invalid_request', param })
      return
    }
    const asked = await ask(kind, row.body)
    expect(asked.sent).toMatchObject(sent)
    for (const field of absent) expect(asked.sent).not.toHaveProperty(field)
    // A warning of the package that no table knows stands here as "other".
    expect([...asked.ignored].sort()).toEqual([...ignored].sort())
  })
})

test('the table in the README has these rows, and no others', () => {
  const readme = readFileSync(new URL('../../lib/vendors/README.md', import.meta.url), 'utf8')
  const table = readme.slice(readme.indexOf('## What the bridge carries'))
  const names = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, name]) => (name ?? '').replaceAll('`', '')).slice(1)
  expect(names).toEqual(Object.keys(ROWS))
})

const FORCED = { tools: [TOOL], tool_choice: 'required', response_format: FORMAT }
const NAMED = { ...FORCED, tool_choice: { type: 'function', function: { name: 'f' } } }
const marks = (message: object, ...at: number[]) => ({
  messages: [
    { role: 'user', content: 'x' },
    { ...message, content: [0, 1].map((index) => ({ type: 'text', text: `${index}`, ...(at.includes(index) ? MARK : {}) })) },
    { role: 'user', content: 'z' },
  ],
})
const TOO_MANY_MARKS = [1, 2, 3, 4, 5].map((index) => ({ type: 'text', text: `${index}`, ...MARK }))

/** Models differ; what a package says of it must be known here. */
test.each<[Kind, string, object, string[]]>([
  ['anthropic', 'claude-opus-5-5', { temperature: 0.5, top_p: 0.5, top_k: 5 }, ['temperature', 'top_k', 'top_p']],
  ['anthropic', 'claude-opus-5-5', { reasoning_effort: 'none' }, ['reasoning_effort']],
  ['anthropic', 'claude-sonnet-5-5', { reasoning_effort: 'none' }, ['reasoning_effort']],
  ['anthropic', 'claude-opus-5', { reasoning_effort: 'minimal' }, ['reasoning_effort']],
  ['anthropic', 'claude-opus-5', { reasoning_effort: 'max' }, []],
  ['anthropic', 'claude-opus-5-5', { tools: [TOOL], tool_choice: 'required' }, ['tool_choice']],
  ['anthropic', 'claude-opus-5-5', { response_format: { type: 'json_object' } }, ['response_format']],
  [
    'anthropic',
    'claude-3-haiku-20240307',
    { tools: [{ ...TOOL, function: { ...TOOL.function, strict: true } }] },
    ['tools.strict'],
  ],
  ['anthropic', 'claude-sonnet-4-5', { temperature: 0.5, top_p: 0.5 }, ['top_p']],
  [
    'anthropic',
    'claude-sonnet-4-5',
    { temperature: 0.5, top_k: 5, top_p: 0.5, reasoning_effort: 'low' },
    ['temperature', 'top_k', 'top_p'],
  ],
  ['anthropic', 'claude-sonnet-4-5', { messages: [{ role: 'user', content: TOO_MANY_MARKS }] }, ['cache_control']],
  ['anthropic', 'claude-something-new', { seed: 1 }, ['seed']],
  // A schema that goes as a tool may be called where one of the others has to be.
  ['anthropic', 'claude-3-haiku-20240307', { ...FORCED, tool_choice: 'auto' }, []],
  ['anthropic', 'claude-3-haiku-20240307', { ...FORCED, tool_choice: 'none' }, []],
  ['anthropic', 'claude-3-haiku-20240307', FORCED, ['tool_choice']],
  ['anthropic', 'claude-3-haiku-20240307', NAMED, ['tool_choice']],
  [
    'anthropic',
    'claude-3-haiku-20240307',
    { ...FORCED, tool_choice: 'auto', parallel_tool_calls: true },
    ['parallel_tool_calls'],
  ],
  ['anthropic', 'claude-sonnet-4-5', { ...FORCED, parallel_tool_calls: true }, []],
  ['google', 'gemini-2.5-pro', { ...FORCED, tool_choice: 'auto' }, []],
  ['google', 'gemini-2.5-pro', { ...FORCED, tool_choice: 'none' }, []],
  ['google', 'gemini-2.5-pro', FORCED, ['tool_choice']],
  ['google', 'gemini-2.5-pro', NAMED, []],
  ['google', 'gemini-3.5-flash', { ...FORCED, tool_choice: 'auto' }, []],
  ['google', 'gemini-3.5-flash', FORCED, ['tool_choice']],
  ['google', 'gemini-2.5-pro', { top_k: '40', tool_choice: 'none' }, ['top_k']],
  // What asks for nothing is neither refused nor named.
  ['anthropic', 'claude-sonnet-4-5', { logprobs: false, top_logprobs: 0, tool_choice: 'auto' }, []],
  ['google', 'gemini-2.5-pro', { top_logprobs: 0, tool_choice: 'none' }, []],
  // Texts that become one have one mark, at their end.
  ['anthropic', 'claude-sonnet-4-5', marks({ role: 'assistant' }, 1), []],
  ['anthropic', 'claude-sonnet-4-5', marks({ role: 'assistant' }, 0, 1), ['cache_control']],
  ['anthropic', 'claude-sonnet-4-5', marks({ role: 'user' }, 0, 1), []],
  ['anthropic', 'claude-sonnet-4-5', marks({ role: 'user', ...MARK }), ['cache_control']],
  ['google', 'gemini-3.5-flash', { reasoning_effort: 'none' }, ['reasoning_effort']],
  ['google', 'gemini-3.5-flash', { reasoning_effort: 'high', presence_penalty: 1, frequency_penalty: 1 }, []],
  ['google', 'gemini-2.5-pro', { reasoning_effort: 'none' }, ['reasoning_effort']],
  ['google', 'gemini-2.5-flash', { reasoning_effort: 'none', tools: [TOOL] }, []],
  [
    'google',
    'gemini-3.5-flash',
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'y' },
      ],
    },
    [],
  ],
])('%s: %s with %j leaves out %j', async (kind, model, body, ignored) => {
  expect([...(await ask(kind, body, model)).ignored].sort()).toEqual(ignored)
})

test.each<[object, string]>([
  [{ top_logprobs: 1 }, 'top_logprobs'],
  [{ tool_choice: { type: 'function', function: { name: 'f' } } }, 'tool_choice'],
  [{ tools: [TOOL], tool_choice: { type: 'function', function: { name: 'g' } } }, 'tool_choice'],
  [
    {
      tools: [TOOL],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'g' } }] },
      },
    },
    'tool_choice',
  ],
])('%j is refused', async (body, param) => {
  for (const kind of ['anthropic', 'google'] as const)
    expect(await ask(kind, body).then(() => null, asRefusal)).toMatchObject({ condition: 'invalid_request', param })
})

const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex').toString('base64')

test.each([
  ['image/jpg', JPEG, 'image/jpeg'],
  ['image/png', JPEG, 'image/jpeg'],
  ['image/jpg', 'aGVsbG8=', 'image/jpeg'],
  ['image/bmp', 'aGVsbG8=', 'image/bmp'],
])('an image that is called %s goes out as what it is: %s, %s', async (type, data, expected) => {
  const image = user({ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } })
  const claude = (await ask('anthropic', image)).sent
  expect(claude).toMatchObject({ messages: [{ content: [{}, { source: { type: 'base64', media_type: expected, data } }] }] })
  const gemini = (await ask('google', image)).sent
  expect(gemini).toMatchObject({ contents: [{ parts: [{}, { inlineData: { mimeType: expected, data } }] }] })
})

test.each([
  [{}, { type: 'object' }],
  [{ properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
  [undefined, { type: 'object', properties: {} }],
])('parameters of a tool that are %j are those of an object', async (parameters, expected) => {
  const tools = [{ type: 'function', function: { name: 'f', parameters } }]
  expect((await ask('anthropic', { tools })).sent).toMatchObject({ tools: [{ name: 'f', input_schema: expected }] })
})

test('audio to a Flash model that bills it apart is refused', async () => {
  const audio = user({ type: 'input_audio', input_audio: { data: 'aGVsbG8=', format: 'mp3' } })
  const error = await ask('google', audio, 'gemini-2.5-flash').then(() => null, asRefusal)
  expect(error).toMatchObject({ condition: 'invalid_request', param: 'messages[0].content[1]' })
  await expect(ask('google', audio, 'gemini-3.5-flash')).resolves.toMatchObject({ ignored: [] })
})

test.each<[Kind, number, object, string[]]>([
  ['anthropic', 2000, { max_tokens: 2000, thinking: { budget_tokens: 1600 } }, []],
  ['anthropic', 1000, { max_tokens: 1000 }, ['reasoning_effort']],
  ['google', 1000, { generationConfig: { maxOutputTokens: 1000, thinkingConfig: { thinkingBudget: 800 } } }, []],
  [
    'google',
    100,
    { generationConfig: { maxOutputTokens: 100, thinkingConfig: { includeThoughts: true } } },
    ['reasoning_effort'],
  ],
])('thoughts at %s fit into a cap of %s', async (kind, cap, sent, ignored) => {
  const asked = await ask(kind, { reasoning_effort: 'high' }, MODELS[kind], cap)
  expect(asked.sent).toMatchObject(sent)
  expect(asked.ignored).toEqual(ignored)
  if (ignored.length > 0) expect(JSON.stringify(asked.sent)).not.toMatch(/budget/i)
})

describe('a turn that has called, and goes on', () => {
  const THOUGHT = { type: 'reasoning.text', text: 'Hm.', signature: 'c2lnbmVk', format: 'anthropic-claude-v1', index: 0 }
  const turn = (more: object) => ({
    reasoning_effort: 'high',
    tools: [TOOL],
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }], ...more },
      { role: 'tool', tool_call_id: 'c', content: 'y' },
    ],
  })

  test('thinks on a budget only if what was thought in it is sent back: Claude refuses another', async () => {
    const without = await ask('anthropic', turn({ reasoning_content: 'Hm.' }))
    expect(without.sent).not.toHaveProperty('thinking')
    expect(without.sent).toMatchObject({ max_tokens: 8000, messages: [{}, { content: [{ type: 'tool_use' }] }, {}] })
    expect(without.ignored).toEqual(['reasoning_effort'])
    const back = await ask('anthropic', turn({ reasoning_details: [THOUGHT] }))
    expect(back.sent).toMatchObject({ max_tokens: 8000, thinking: { type: 'enabled', budget_tokens: 6400 } })
    expect(back.ignored).toEqual([])
  })

  test('thinks all the same where the model itself says how long', async () => {
    const asked = await ask('anthropic', turn({}), 'claude-opus-5')
    expect(asked.sent).toMatchObject({ thinking: { type: 'adaptive' } })
    expect(asked.ignored).toEqual([])
  })
})
