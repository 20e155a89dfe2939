import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { asRefusal } from '#lib/domain/errors'
import { bridgedAsks, FORMAT, MARK, SCHEMA, TOOL, user } from '../fakes/bridged-asks.ts'

const { ask } = bridgedAsks()

/** What a row of the table says about one vendor. */
type ParameterOutcome = { sent?: object; absent?: string[]; ignored?: string[]; refused?: string }

interface Row {
  body: object
  anthropic: ParameterOutcome
  google: ParameterOutcome
}

const generation = (config: object) => ({ generationConfig: config })
const refusedByBoth = (param: string): { anthropic: ParameterOutcome; google: ParameterOutcome } => ({
  anthropic: { refused: param },
  google: { refused: param },
})
const STRICT = { type: 'object', properties: {}, additionalProperties: false }
const PNG = 'data:image/png;base64,aGVsbG8='
const PDF = 'data:application/pdf;base64,aGVsbG8='

/** One entry for each row of the table in lib/vendors/README.md, under its name there. */
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
  'stop of white space alone, such as a line break': {
    body: { stop: ['\n\n', 'END'] },
    anthropic: { sent: { stop_sequences: ['END'] }, ignored: ['stop'] },
    google: { sent: generation({ stopSequences: ['\n\n', 'END'] }) },
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
    // The cap comes from the hold, which these tests set separately.
    anthropic: { sent: { max_tokens: 8000 } },
    google: { sent: generation({ maxOutputTokens: 8000 }) },
  },
  n: { body: { n: 3 }, anthropic: { absent: ['n'] }, google: { absent: ['n'] } },
  'n above 8': { body: { n: 9 }, ...refusedByBoth('n') },
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
    body: { tools: [{ ...TOOL, function: { ...TOOL.function, parameters: STRICT, strict: true } }] },
    anthropic: { sent: { tools: [{ strict: true }] } },
    google: { sent: { toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } } },
  },
  'tools with strict whose parameters Claude cannot be strict about, such as a minimum, or that are, together with the schema of the answer, more than it compiles (20 tools, 24 optional properties, 16 unions)':
    {
      body: {
        tools: [
          { ...TOOL, function: { ...TOOL.function, parameters: { ...STRICT, properties: { n: { minimum: 1 } } }, strict: true } },
        ],
      },
      anthropic: { sent: { tools: [{ input_schema: { properties: { n: { minimum: 1 } } } }] }, ignored: ['tools.strict'] },
      google: { sent: { toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } } },
    },
  'tools of the type custom': {
    body: {
      tools: [{ type: 'custom', custom: { name: 'c', description: 'd' } }],
      tool_choice: { type: 'custom', custom: { name: 'c' } },
    },
    anthropic: {
      sent: {
        tools: [
          { name: 'c', description: 'd', input_schema: { properties: { input: { type: 'string' } }, required: ['input'] } },
        ],
        tool_choice: { type: 'tool', name: 'c' },
      },
    },
    google: {
      sent: {
        tools: [{ functionDeclarations: [{ name: 'c', description: 'd' }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['c'] } },
      },
    },
  },
  'tools of the type custom beside another of the same name': {
    body: {
      tools: [
        { type: 'function', function: { name: 'c' } },
        { type: 'custom', custom: { name: 'c' } },
      ],
    },
    ...refusedByBoth('tools[1].custom.name'),
  },
  'tools of the type custom with a grammar': {
    body: {
      tools: [
        {
          type: 'custom',
          custom: { name: 'c', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } } },
        },
      ],
    },
    anthropic: {
      sent: { tools: [{ name: 'c', description: 'The input must match this grammar (lark):\nstart: "x"' }] },
      ignored: ['tools.custom.format'],
    },
    google: {
      sent: { tools: [{ functionDeclarations: [{ description: 'The input must match this grammar (lark):\nstart: "x"' }] }] },
      ignored: ['tools.custom.format'],
    },
  },
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
    ...refusedByBoth('tool_choice'),
  },
  parallel_tool_calls: {
    body: { tools: [TOOL], parallel_tool_calls: false },
    anthropic: { sent: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } } },
    google: { ignored: ['parallel_tool_calls'] },
  },
  'functions, function_call': { body: { functions: [{ name: 'f' }] }, ...refusedByBoth('functions') },
  'web_search_options, as also web_search in responses becomes': {
    body: { web_search_options: {} },
    anthropic: { sent: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 10 }] } },
    google: { sent: { tools: [{ googleSearch: {} }] } },
  },
  'web_search_options with max_uses': {
    body: { web_search_options: { max_uses: 3 } },
    anthropic: { sent: { tools: [{ name: 'web_search', max_uses: 3 }] } },
    google: { ignored: ['web_search_options.max_uses'] },
  },
  'web_search_options beside tools': {
    body: { web_search_options: {}, tools: [TOOL] },
    anthropic: { sent: { tools: [{ name: 'web_search', max_uses: 10 }, { name: 'f' }] } },
    google: { refused: 'tools' },
  },
  'web_search_options beside a tool called web_search': {
    body: { web_search_options: {}, tools: [{ type: 'function', function: { name: 'web_search' } }] },
    anthropic: { refused: 'tools[0].function.name' },
    google: { refused: 'tools' },
  },
  'web_search_options with filters.allowed_domains': {
    body: { web_search_options: { filters: { allowed_domains: ['a.example'] } } },
    anthropic: { sent: { tools: [{ name: 'web_search', allowed_domains: ['a.example'] }] } },
    google: { refused: 'web_search_options.filters' },
  },
  'web_search_options with user_location': {
    body: { web_search_options: { user_location: { type: 'approximate', approximate: { country: 'NZ' } } } },
    anthropic: { sent: { tools: [{ name: 'web_search', user_location: { type: 'approximate', country: 'NZ' } }] } },
    google: { ignored: ['web_search_options.user_location'] },
  },
  'web_search_options with search_context_size': {
    body: { web_search_options: { search_context_size: 'low' } },
    anthropic: { ignored: ['web_search_options.search_context_size'] },
    google: { ignored: ['web_search_options.search_context_size'] },
  },
  'web_search_options with external_web_access false': {
    body: { web_search_options: { external_web_access: false } },
    ...refusedByBoth('web_search_options.external_web_access'),
  },
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
    // 80% of the cap: the package alone would have asked for 38,400 tokens on top of it.
    anthropic: { sent: { max_tokens: 8000, thinking: { type: 'enabled', budget_tokens: 6400 } } },
    google: {
      sent: generation({ maxOutputTokens: 8000, thinkingConfig: { thinkingBudget: 6400, includeThoughts: true } }),
    },
  },
  'reasoning_effort with another value': { body: { reasoning_effort: 'a lot' }, ...refusedByBoth('reasoning_effort') },
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
  'cache_control on messages and calls': {
    body: {
      messages: [
        { role: 'system', content: 'Long.', ...MARK },
        { role: 'user', content: 'x' },
        {
          role: 'assistant',
          content: 'y',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' }, ...MARK }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'z', ...MARK },
        { role: 'assistant', content: 'y', ...MARK },
        { role: 'user', content: 'x' },
      ],
      tools: [TOOL],
    },
    anthropic: {
      sent: {
        system: [{ text: 'Long.', ...MARK }],
        messages: [
          { content: [{ text: 'x' }] },
          { content: [{ text: 'y' }, { type: 'tool_use', ...MARK }] },
          { content: [{ type: 'tool_result', ...MARK }] },
          { content: [{ text: 'y', ...MARK }] },
          { content: [{ text: 'x' }] },
        ],
      },
    },
    google: { ignored: ['cache_control'] },
  },
  'cache_control of one hour': {
    body: user({ type: 'text', text: 'y', cache_control: { type: 'ephemeral', ttl: '1h' } }),
    ...refusedByBoth('cache_control'),
  },
  'image_url with data:': {
    body: user({ type: 'image_url', image_url: { url: PNG } }),
    anthropic: {
      sent: { messages: [{ content: [{}, { type: 'image', source: { type: 'base64', media_type: 'image/png' } }] }] },
    },
    google: { sent: { contents: [{ parts: [{}, { inlineData: { mimeType: 'image/png', data: 'aGVsbG8=' } }] }] } },
  },
  'image_url with a URL': {
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
    ...refusedByBoth('messages[0].content[1]'),
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
  'texts of white space alone': {
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
  'empty messages of the role assistant': {
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
  'tool_calls whose arguments are not a JSON object': {
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
    ...refusedByBoth('messages[1].tool_call_id'),
  },
  'messages of the role function': {
    body: {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'function', name: 'f', content: 'y' },
      ],
    },
    ...refusedByBoth('messages[1].role'),
  },
  'name of a message': {
    body: { messages: [{ role: 'user', content: 'x', name: 'n' }] },
    anthropic: { ignored: ['messages.name'] },
    google: { ignored: ['messages.name'] },
  },
  'logprobs, top_logprobs': { body: { logprobs: true }, ...refusedByBoth('logprobs') },
  logit_bias: { body: { logit_bias: { '5': 1 } }, ...refusedByBoth('logit_bias') },
  prediction: { body: { prediction: { type: 'content', content: 'x' } }, ...refusedByBoth('prediction') },
  'modalities with image': {
    body: { modalities: ['image', 'text'] },
    anthropic: { refused: 'modalities' },
    google: { sent: generation({ responseModalities: ['IMAGE', 'TEXT'] }) },
  },
  'modalities, audio': { body: { modalities: ['audio'] }, ...refusedByBoth('modalities[0]') },
  image_config: {
    body: { image_config: { aspect_ratio: '16:9', image_size: '2K', other: 1 } },
    anthropic: { ignored: ['image_config'], absent: ['image_config'] },
    google: { sent: generation({ imageConfig: { aspectRatio: '16:9', imageSize: '2K' } }), ignored: ['image_config'] },
  },
  'image_config with a value that the vendor does not have': {
    body: { image_config: { aspect_ratio: '17:9' } },
    anthropic: { ignored: ['image_config'] },
    google: { refused: 'image_config.aspect_ratio' },
  },
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
    const outcome = await ask(kind, row.body)
    expect(outcome.sent).toMatchObject(sent)
    for (const field of absent) expect(outcome.sent).not.toHaveProperty(field)
    // A warning of the package that no table knows would be listed here as "other".
    expect([...outcome.ignored].sort()).toEqual([...ignored].sort())
  })
})

test.each([
  { logprobs: true },
  { top_logprobs: 2 },
  { logit_bias: { '5': 1 } },
  { prediction: { type: 'content', content: 'x' } },
  { functions: [{ name: 'f' }] },
])('the message names what the vendor cannot do, because clients show nothing else: %j', async (body) => {
  const error = await ask('anthropic', body).then(() => null, asRefusal)
  const [field] = Object.keys(body)
  expect(error?.message).toMatch(new RegExp(`^The API of this model's vendor does not support .+\\. Leave out "${field}"\\.$`))
})

test('the table in the README has these rows, and no others', () => {
  const readme = readFileSync(new URL('../../lib/vendors/README.md', import.meta.url), 'utf8')
  const table = readme.slice(readme.indexOf('## What the bridge carries'))
  const names = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, name]) => (name ?? '').replaceAll('`', '')).slice(1)
  expect(names).toEqual(Object.keys(ROWS))
})
