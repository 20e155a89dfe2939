import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { addModel } from '../support/fixtures.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  await addModel(world.pool, { id: 'fake/small', baseUrl: world.vendor.url, contextWindow: 100, maxOutput: 50 })
  await addModel(world.pool, { id: 'fake/image', baseUrl: world.vendor.url, modality: 'image' })
  await untilModelKnown(world, 'fake/image')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const expectRefusal = (body: object, param: string | null, message?: RegExp) =>
  world.expectRefused(
    (secret) => ({
      path: '/v1/responses',
      headers: headersOf(secret),
      body: JSON.stringify({ model: 'fake/chat', input: 'Hello.', ...body }),
    }),
    { condition: 'invalid_request', param, ...(message ? { message } : {}) },
  )

/** Values that each field cannot have. */
const INVALID_VALUES: Record<string, unknown[]> = {
  model: [undefined, null, 1, '', ['fake/chat'], {}, 'x'.repeat(201), 'fake/image'],
  input: [undefined, null, 5, true, {}, []],
  instructions: [5, [], {}],
  previous_response_id: [5, '', {}, 'x'.repeat(201)],
  store: ['true', 1],
  stream: ['true', 1, 0, [], {}],
  stream_options: ['x', { include_obfuscation: true }],
  include: ['reasoning.encrypted_content', {}, 5],
  max_output_tokens: ['20', 0, 15, -1, 16.5, 1e12, true, 16_385],
  max_tool_calls: ['2', 0, 1.5],
  temperature: ['1', true, -0.1, 2.1],
  top_p: ['0.5', 1.1, -0.1],
  presence_penalty: ['1', 2.1, -2.1],
  frequency_penalty: [{}, 2.1, -2.1],
  top_logprobs: ['5', -1, 21, 1.5],
  tools: ['x', {}, Array.from({ length: 257 }, () => ({ type: 'function', name: 'f' }))],
  tool_choice: [5, true, 'sometimes', []],
  parallel_tool_calls: ['true', 1],
  text: ['x', 5],
  reasoning: ['low', 5],
  metadata: ['x', 5, [], Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v']))],
  user: [5, {}],
  safety_identifier: [5, 'x'.repeat(65)],
  prompt_cache_key: [5, 'x'.repeat(65)],
  prompt_cache_retention: [5, 'x'.repeat(65)],
  truncation: ['auto', 5],
  background: [true, 'false'],
  service_tier: ['flex', 'priority', 5],
  conversation: ['conv_1', { id: 'conv_1' }],
  prompt: [{ id: 'pmpt_1' }],
  container: ['cntr_1'],
  file_ids: [['file_1']],
  vector_store_ids: [['vs_1']],
  context_management: [[{ type: 'compaction' }]],
  moderation: [{ model: 'm' }],
  web_search_options: [{}],
}

describe.each(Object.entries(INVALID_VALUES))('the field %s', (field, values) => {
  test.each(values.map((value) => [JSON.stringify(value)?.slice(0, 30) ?? 'nothing', value]))('is not %s', async (_, value) => {
    await expectRefusal({ [field]: value }, field)
  })
})

const item = (value: unknown) => ({ input: [value] })
const userPart = (part: unknown) => item({ role: 'user', content: [part] })
const tool = (value: unknown) => ({ tools: [value] })
const format = (value: unknown) => ({ text: { format: value } })
const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'c', output: 'x' }
const shellCall = { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } }
const shellOutput = { type: 'shell_call_output', call_id: 'c', output: [] }
const image = { type: 'input_image', image_url: 'https://example.com/a.png' }

const CALL = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
const CASES: [string, object, string, RegExp?][] = [
  ['an item that is text', item('Hello'), 'input[0]'],
  ['an item that is null', item(null), 'input[0]'],
  ['an item without a role', item({ content: 'x' }), 'input[0].role'],
  ['an item of an unknown role', item({ role: 'root', content: 'x' }), 'input[0].role'],
  ['an item of an unknown type', item({ type: 'hologram' }), 'input[0].type'],
  ['a call of a hosted tool', item({ type: 'file_search_call', id: 'x' }), 'input[0].type'],
  ['a compaction', item({ type: 'compaction', encrypted_content: 'x' }), 'input[0].type'],
  ['a message without content', item({ role: 'user' }), 'input[0].content'],
  ['a message with empty content', item({ role: 'user', content: [] }), 'input[0].content'],
  ['a message of numbers', item({ role: 'user', content: 5 }), 'input[0].content'],
  ['a part without a type', userPart({ text: 'x' }), 'input[0].content[0].type'],
  ['a part of another endpoint', userPart({ type: 'text', text: 'x' }), 'input[0].content[0].type'],
  ['a text part without text', userPart({ type: 'input_text' }), 'input[0].content[0].text'],
  ['an image by its id', userPart({ type: 'input_image', file_id: 'file_1' }), 'input[0].content[0].file_id', /vendor account/],
  ['an image that lies nowhere', userPart({ type: 'input_image' }), 'input[0].content[0].image_url'],
  [
    'an image on this machine',
    userPart({ type: 'input_image', image_url: 'file:///etc/passwd' }),
    'input[0].content[0].image_url',
  ],
  ['an image of a detail unknown', userPart({ ...image, detail: 'best' }), 'input[0].content[0].detail'],
  ['a file by its id', userPart({ type: 'input_file', file_id: 'file_1' }), 'input[0].content[0].file_id', /vendor account/],
  ['a file without content', userPart({ type: 'input_file' }), 'input[0].content[0].file_data'],
  ['a file on this machine', userPart({ type: 'input_file', file_url: 'file:///etc/passwd' }), 'input[0].content[0].file_url'],
  ['an image of the assistant', item({ role: 'assistant', content: [image] }), 'input[0].content[0].type'],
  ['an image of the system', item({ role: 'system', content: [image] }), 'input[0].content[0].type'],
  ['a call without an id', item({ ...call, call_id: undefined }), 'input[0].call_id'],
  ['a call without a name', item({ ...call, name: '' }), 'input[0].name'],
  ['a call with arguments that are no text', item({ ...call, arguments: {} }), 'input[0].arguments'],
  ['a call that nobody answered', { input: [call, { role: 'user', content: 'x' }] }, 'input[0]', /has no output/],
  ['an output that answers no call', item(output), 'input[0].call_id', /Send the call too/],
  ['an output before its call', { input: [output, call] }, 'input[0].call_id'],
  ['an output that is no text', { input: [call, { ...output, output: 5 }] }, 'input[1].output'],
  [
    'an output with a file at an address, in a chat',
    { input: [call, { ...output, output: [{ type: 'input_file', file_url: 'https://example.com/a.pdf' }] }] },
    'input[1].output[0].file_url',
    /file_data/,
  ],
  [
    'a file by its address, in a chat',
    userPart({ type: 'input_file', file_url: 'https://example.com/a' }),
    'input[0].content[0].file_url',
  ],
  ['thoughts that are text', item({ type: 'reasoning', summary: 'x' }), 'input[0].summary'],
  ['a reference without an id', item({ type: 'item_reference' }), 'input[0].id'],
  [
    'a reference to nothing',
    item({ type: 'item_reference', id: `msg_${'0'.repeat(26)}_0` }),
    'input[0].id',
    /Send the item itself/,
  ],
  [
    'the second item at fault',
    {
      input: [
        { role: 'user', content: 'x' },
        { role: 'user', content: 5 },
      ],
    },
    'input[1].content',
  ],
  ['too many items', { input: Array.from({ length: 10_001 }, () => ({ role: 'user', content: 'x' })) }, 'input'],
  ['an include unknown', { include: ['everything'] }, 'include[0]'],
  ['a web search without a price', tool({ type: 'web_search' }), 'tools[0].type', /has no price for them/],
  ['an older web search', tool({ type: 'web_search_preview' }), 'tools[0].type', /Send the tool "web_search"/],
  [
    'a web search of a domain that is a number',
    tool({ type: 'web_search', filters: { allowed_domains: [1] } }),
    'tools[0].filters.allowed_domains[0]',
  ],
  [
    'file search',
    tool({ type: 'file_search', vector_store_ids: ['vs_1'] }),
    'tools[0].type',
    /leave out the tool "file_search"\. Only .* hosted tools are billed separately/,
  ],
  ['a code interpreter', tool({ type: 'code_interpreter', container: { type: 'auto' } }), 'tools[0].type'],
  ['a computer', tool({ type: 'computer_use_preview' }), 'tools[0].type'],
  ['image generation', tool({ type: 'image_generation' }), 'tools[0].type'],
  ['MCP', tool({ type: 'mcp', server_url: 'https://example.com' }), 'tools[0].type'],
  ['a shell, in a chat', tool({ type: 'shell' }), 'tools[0].type', /a tool of the type "function"/],
  ['a local shell, in a chat', tool({ type: 'local_shell' }), 'tools[0].type', /whose vendor offers responses/],
  ['patches, in a chat', tool({ type: 'apply_patch' }), 'tools[0].type', /whose vendor offers responses/],
  ['the choice of a shell, in a chat', { tool_choice: { type: 'shell' } }, 'tool_choice.type', /whose vendor offers responses/],
  [
    'a shell in a container of the vendor',
    tool({ type: 'shell', environment: { type: 'container_auto' } }),
    'tools[0].environment.type',
    /billed separately/,
  ],
  ['a call of a shell, in a chat', { input: [shellCall, shellOutput] }, 'input[0].type', /as a function_call/],
  ['a call of a shell that nobody answered', item(shellCall), 'input[0]', /has no output/],
  ['an output of a shell that is text', { input: [shellCall, { ...shellOutput, output: 'x' }] }, 'input[1].output'],
  ['a tool without a name', tool({ type: 'function' }), 'tools[0].name'],
  ['a tool named in words', tool({ type: 'function', name: 'get the weather' }), 'tools[0].name'],
  ['a tool with parameters that are text', tool({ type: 'function', name: 'f', parameters: 'x' }), 'tools[0].parameters'],
  ['the choice of a hosted tool', { tool_choice: { type: 'file_search' } }, 'tool_choice.type'],
  ['the choice of a function without a name', { tool_choice: { type: 'function' } }, 'tool_choice.name'],
  ['a format unknown', format({ type: 'yaml' }), 'text.format.type'],
  ['a format without a name', format({ type: 'json_schema', schema: {} }), 'text.format.name'],
  ['a format without a schema', format({ type: 'json_schema', name: 's' }), 'text.format.schema'],
  ['a verbosity unknown', { text: { verbosity: 'endless' } }, 'text.verbosity'],
  ['an effort that is a number', { reasoning: { effort: 5 } }, 'reasoning.effort'],
  ['a summary unknown', { reasoning: { summary: 'long' } }, 'reasoning.summary'],
  ['messages, as chats have them', { messages: [{ role: 'user', content: 'hi' }] }, 'messages', /called "input" here/],
  ['a cap as chats have it', { max_tokens: 5 }, 'max_tokens', /called "max_output_tokens" here/],
  ['the other cap of chats', { max_completion_tokens: 5 }, 'max_completion_tokens', /called "max_output_tokens" here/],
  ['a format as chats have it', { response_format: { type: 'json_object' } }, 'response_format', /called "text.format" here/],
  ['stops, which it has not', { stop: ['a'] }, 'stop', /belongs to POST \/v1\/chat\/completions/],
  ['several answers', { n: 2 }, 'n', /belongs to/],
  ['thoughts alone', { input: [{ type: 'reasoning', summary: [] }] }, 'input', /nothing to answer/],
  ['a message without content alone', { input: [{ role: 'assistant', content: [] }] }, 'input', /nothing to answer/],
  [
    'two calls of one id',
    { input: [CALL, { ...CALL, name: 'g' }, { type: 'function_call_output', call_id: 'c1', output: 'x' }] },
    'input[1].call_id',
    /already exists/,
  ],
  [
    'two outputs of one call',
    { input: [CALL, ...['x', 'y'].map((output) => ({ type: 'function_call_output', call_id: 'c1', output }))] },
    'input[2].call_id',
    /already has an output/,
  ],
  ['metadata of numbers', { metadata: { a: 5 } }, 'metadata.a'],
]

test.each(CASES)('%s is refused', async (_name, body, param, message) => {
  await expectRefusal(body, param, message)
})

const LONG = 'word '.repeat(300)
const CITY = { type: 'function', name: 'f', description: LONG }

test.each([
  ['an input', 'input', { input: LONG }],
  ['instructions', 'instructions', { input: 'x', instructions: LONG }],
  ['tools', 'tools', { input: 'x', tools: [CITY] }],
  [
    'a schema',
    'text.format',
    { input: 'x', text: { format: { type: 'json_schema', name: 's', description: LONG, schema: {} } } },
  ],
])('%s longer than the context, refused before money is held, by the name of what is longest', async (_, param, more) => {
  await world.expectRefused(
    (secret) => ({ path: '/v1/responses', headers: headersOf(secret), body: JSON.stringify({ model: 'fake/small', ...more }) }),
    { condition: 'context_exceeded', param },
  )
})

test('a conversation that is longer than the context is named, and not the input that continues it', async () => {
  const { secret } = await world.holder()
  const ask = (body: object) =>
    world.send({ path: '/v1/responses', headers: headersOf(secret), body: JSON.stringify({ model: 'fake/chat', ...body }) })
  const { id } = (await ask({ input: LONG })).json()
  const answer = await ask({ model: 'fake/small', input: 'go on', previous_response_id: id })
  expectError(answer, { condition: 'context_exceeded', param: 'previous_response_id' })
})

test.each([[''], ['[]'], ['{'], ['"x"'], ['{"model":"fake/chat","model":"fake/chat","input":"x"}']])(
  'the body %s is refused',
  async (body) => {
    await world.expectRefused((secret) => ({ path: '/v1/responses', headers: headersOf(secret), body }), {
      condition: 'invalid_request',
      param: body.includes('model') ? 'model' : null,
    })
  },
)

test('a stranger gets no further than the door', async () => {
  for (const [method, path] of [
    ['POST', ''],
    ['GET', '/resp_1'],
    ['DELETE', '/resp_1'],
    ['GET', '/resp_1/input_items'],
  ]) {
    const answer = await world.send({
      method: method ?? '',
      path: `/v1/responses${path}`,
      headers: headersOf('sk-tg-wrong'),
      body: '{}',
    })
    expect([answer.status, answer.error().code]).toEqual([401, 'invalid_api_key'])
  }
})
