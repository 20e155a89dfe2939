import { describe, expect, test } from 'vitest'
import { asRefusal } from '#lib/domain/errors'
import { bridgedAsks, FORMAT, MARK, TOOL, user } from '../fakes/bridged-asks.ts'

const { ask } = bridgedAsks()

const FORCED = { tools: [TOOL], tool_choice: 'required', response_format: FORMAT }
const NAMED = { ...FORCED, tool_choice: { type: 'function', function: { name: 'f' } } }
const withMarks = (message: object, ...indexes: number[]) => ({
  messages: [
    { role: 'user', content: 'x' },
    {
      ...message,
      content: [0, 1].map((index) => ({ type: 'text', text: `${index}`, ...(indexes.includes(index) ? MARK : {}) })),
    },
    { role: 'user', content: 'z' },
  ],
})
const TOO_MANY_MARKS = [1, 2, 3, 4, 5].map((index) => ({ type: 'text', text: `${index}`, ...MARK }))

/** Models differ, and what the package reports about that must be known here. */
test.each<['anthropic' | 'google', string, object, string[]]>([
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
  // If a schema is sent as a tool, it may be called when one of the other tools has to be.
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
  // A field that asks for nothing is neither refused nor reported.
  ['anthropic', 'claude-sonnet-4-5', { logprobs: false, top_logprobs: 0, tool_choice: 'auto' }, []],
  ['google', 'gemini-2.5-pro', { top_logprobs: 0, tool_choice: 'none' }, []],
  // Texts that are joined into one have one mark, at their end.
  ['anthropic', 'claude-sonnet-4-5', withMarks({ role: 'assistant' }, 1), []],
  ['anthropic', 'claude-sonnet-4-5', withMarks({ role: 'assistant' }, 0, 1), ['cache_control']],
  ['anthropic', 'claude-sonnet-4-5', withMarks({ role: 'user' }, 0, 1), []],
  ['anthropic', 'claude-sonnet-4-5', withMarks({ role: 'user', ...MARK }), []],
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
  expect([...(await ask(kind, body, { model })).ignored].sort()).toEqual(ignored)
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
  const error = await ask('google', audio, { model: 'gemini-2.5-flash' }).then(() => null, asRefusal)
  expect(error).toMatchObject({ condition: 'invalid_request', param: 'messages[0].content[1]' })
  await expect(ask('google', audio, { model: 'gemini-3.5-flash' })).resolves.toMatchObject({ ignored: [] })
})

test.each<['anthropic' | 'google', number, object, string[]]>([
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
  const outcome = await ask(kind, { reasoning_effort: 'high' }, { cap })
  expect(outcome.sent).toMatchObject(sent)
  expect(outcome.ignored).toEqual(ignored)
  if (ignored.length > 0) expect(JSON.stringify(outcome.sent)).not.toMatch(/budget/i)
})

describe('a turn that has called, and goes on', () => {
  const THOUGHT = { type: 'reasoning.text', text: 'Hm.', signature: 'c2lnbmVk', format: 'anthropic-claude-v1', index: 0 }
  const turn = (overrides: object) => ({
    reasoning_effort: 'high',
    tools: [TOOL],
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }], ...overrides },
      { role: 'tool', tool_call_id: 'c', content: 'y' },
    ],
  })

  test('thinks on a budget only if what was thought in it is sent back: Claude refuses another', async () => {
    const withoutSignature = await ask('anthropic', turn({ reasoning_content: 'Hm.' }))
    expect(withoutSignature.sent).not.toHaveProperty('thinking')
    expect(withoutSignature.sent).toMatchObject({ max_tokens: 8000, messages: [{}, { content: [{ type: 'tool_use' }] }, {}] })
    expect(withoutSignature.ignored).toEqual(['reasoning_effort'])
    const withSignature = await ask('anthropic', turn({ reasoning_details: [THOUGHT] }))
    expect(withSignature.sent).toMatchObject({ max_tokens: 8000, thinking: { type: 'enabled', budget_tokens: 6400 } })
    expect(withSignature.ignored).toEqual([])
  })

  test('thinks all the same where the model itself says how long', async () => {
    const outcome = await ask('anthropic', turn({}), { model: 'claude-opus-5' })
    expect(outcome.sent).toMatchObject({ thinking: { type: 'adaptive' } })
    expect(outcome.ignored).toEqual([])
  })
})

test.each([
  ['gemini-2.5-flash', 'auto', true],
  ['gemini-2.5-flash', 'none', true],
  ['gemini-2.0-flash-lite', 'auto', true],
  ['gemini-3.5-flash', 'auto', false],
  ['gemini-3.5-flash', 'required', true],
])('%s is asked for an object beside tools, of which the choice is "%s", as it can be', async (model, choice, byTool) => {
  const body = { tools: [TOOL], tool_choice: choice, response_format: { type: 'json_object' } }
  const { sent } = await ask('google', body, { model })
  const { generationConfig, tools } = sent as { generationConfig: object; tools: { functionDeclarations: { name: string }[] }[] }
  expect('responseMimeType' in generationConfig).toBe(!byTool)
  expect(generationConfig).not.toHaveProperty('responseJsonSchema')
  expect(tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name))).toEqual(byTool ? ['f', 'json'] : ['f'])
})
