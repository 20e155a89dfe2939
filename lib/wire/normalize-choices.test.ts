import { describe, expect, it } from 'vitest'
import type { JsonObject } from './json.ts'
import { normalizeChoices } from './normalize-choices.ts'

const ending = (...reasons: (string | null)[]) => ({
  id: 'x',
  choices: reasons.map((finish_reason, index) => ({ index, finish_reason })),
})

it.each([
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['MAX_TOKENS', 'length'],
  ['STOP', 'stop'],
  ['sensitive', 'content_filter'],
  ['refusal', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  // Nothing has ended.
  ['', null],
  ['insufficient_system_resource', 'length'],
])('%s is %s, in whichever choice it stands', (theirs, ours) => {
  expect(normalizeChoices(ending('tool_calls', theirs, null))).toEqual(ending('tool_calls', ours, null))
})

it.each([
  ending('stop'),
  ending('length', null),
  ending('content_filter', 'tool_calls'),
  // Unknown reasons pass as they arrived.
  ending('surprise'),
  ending(),
  { id: 'x' },
  { choices: 'eos' },
  { choices: [null, 5, 'eos'] },
])('%j is the very same object', (answer) => {
  expect(normalizeChoices(answer)).toBe(answer)
})

const withMessage = (message: object, key = 'message') =>
  ({ choices: [{ index: 0, [key]: message, finish_reason: null }] }) as JsonObject
const messageOf = (message: object, key?: string) =>
  (normalizeChoices(withMessage(message, key)).choices as JsonObject[])[0]?.[key ?? 'message']

describe('content that is a list of parts', () => {
  const parts = [
    {
      type: 'thinking',
      thinking: [
        { type: 'text', text: 'Let me ' },
        { type: 'text', text: 'see.' },
      ],
    },
    { type: 'text', text: 'Four' },
    { type: 'text', text: ', I think.' },
  ]

  it('is its text, and its thoughts are the reasoning', () => {
    const read = { role: 'assistant', content: 'Four, I think.', reasoning_content: 'Let me see.' }
    expect(messageOf({ role: 'assistant', content: parts })).toEqual(read)
    expect(messageOf({ role: 'assistant', content: parts }, 'delta')).toEqual(read)
  })

  it.each([
    ['a thought as one text', [{ type: 'thinking', thinking: 'Hm.' }], { content: null, reasoning_content: 'Hm.' }],
    ['a text as it is', ['Four'], { content: 'Four' }],
    ['nothing', [], { content: null }],
    ['nothing that is text', [5, null, { type: 'reference' }, [{ text: 'x' }]], { content: null }],
  ])('may be %s', (_, content, read) => {
    expect(messageOf({ content })).toEqual(read)
  })

  it('leaves a delta of thoughts without content, and reasoning that its vendor sent as it is', () => {
    expect(messageOf({ content: parts.slice(0, 1) }, 'delta')).toEqual({ reasoning_content: 'Let me see.' })
    expect(messageOf({ content: parts, reasoning: 'Theirs.' })).toEqual({ content: 'Four, I think.', reasoning: 'Theirs.' })
  })
})

describe('content that is neither text nor a list', () => {
  it.each([
    [42, '42'],
    [0, '0'],
    [true, 'true'],
    [{ answer: 4, text: 'x' }, '{"answer":4,"text":"x"}'],
    [{ type: 'city', text: 'Oslo' }, '{"type":"city","text":"Oslo"}'],
    [{ type: 'text', text: 'Four' }, 'Four'],
  ])('%j is the text %s', (content, text) => {
    for (const key of ['message', 'delta'])
      expect(messageOf({ role: 'assistant', content }, key)).toEqual({ role: 'assistant', content: text })
  })

  it('is reasoning if it is a thought', () => {
    const content = { type: 'thinking', thinking: 'Hm.' }
    expect(messageOf({ content })).toEqual({ content: null, reasoning_content: 'Hm.' })
    expect(messageOf({ content }, 'delta')).toEqual({ reasoning_content: 'Hm.' })
  })

  it.each([null, undefined, '', 'Four'])('%j is the very same object', (content) => {
    for (const key of ['message', 'delta']) {
      const answer = withMessage({ content }, key)
      expect(normalizeChoices(answer)).toBe(answer)
    }
  })
})

describe('the arguments of a call', () => {
  const callOf = (args: unknown, key?: string) => {
    const read = messageOf({ tool_calls: [{ id: 'c', function: { name: 'f', arguments: args } }] }, key)
    return (read as { tool_calls: { function: object }[] }).tool_calls[0]?.function
  }

  it.each([
    [{ a: 1, b: ['x'] }, '{"a":1,"b":["x"]}'],
    [undefined, '{}'],
    [null, '{}'],
    ['{"a": 1}', '{"a": 1}'],
    ['', ''],
  ])('%j are the text %s', (args, text) => {
    expect(callOf(args)).toEqual({ name: 'f', arguments: text })
  })

  it('are no text yet in a piece that has none', () => {
    expect(callOf({ a: 1 }, 'delta')).toEqual({ name: 'f', arguments: '{"a":1}' })
    const piece = withMessage({ tool_calls: [null, { index: 0, function: { name: 'f' } }] }, 'delta')
    expect(normalizeChoices(piece)).toBe(piece)
  })
})

it('a choice without a number has that of its place', () => {
  const choices = [{ delta: { content: 'a' } }, { index: 5, delta: {} }, { index: null, delta: {} }]
  expect(normalizeChoices({ choices }).choices).toEqual([
    { index: 0, delta: { content: 'a' } },
    { index: 5, delta: {} },
    { index: 2, delta: {} },
  ])
})

describe('a token with its log probability', () => {
  const withLogprobs = (logprobs: object | null) => ({ choices: [{ index: 0, delta: { content: 'a' }, logprobs }] }) as JsonObject

  it('has a list of alternatives, if only an empty one', () => {
    const others = [{ token: 'b', logprob: -2 }]
    const tokens = [
      { token: 'a', logprob: -1 },
      { token: 'b', logprob: -1, top_logprobs: null },
      { token: 'c', logprob: -1, top_logprobs: others },
    ]
    expect(normalizeChoices(withLogprobs({ content: tokens, refusal: null }))).toEqual(
      withLogprobs({
        content: tokens.map((token) => ({ ...token, top_logprobs: token.token === 'c' ? others : [] })),
        refusal: null,
      }),
    )
  })

  it.each([
    null,
    { content: null },
    { content: [] },
    { content: [{ token: 'a', logprob: -1, top_logprobs: [] }] },
    { tokens: ['a'], token_logprobs: [-1] },
  ])('%j is the very same object', (logprobs) => {
    const answer = withLogprobs(logprobs)
    expect(normalizeChoices(answer)).toBe(answer)
  })
})

it('one call where a list belongs is a list', () => {
  const call = { index: 0, id: '', type: 'function', function: { name: 'f', arguments: '{' } }
  expect(messageOf({ tool_calls: call }, 'delta')).toEqual({ tool_calls: [call] })
})
