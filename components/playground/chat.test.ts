import { describe, expect, it } from 'vitest'
import type { JsonRecord } from '../history/json.ts'
import { abilitiesOf, chatBody, NO_PARAMS, readParams } from './chat-params.ts'
import { isFirstToken, withChunk } from './chat-stream.ts'
import { type Change, changed, messagesFor } from './chat-turns.ts'
import type { Answer, Exchange } from './chat-types.ts'
import { NO_FIGURES } from './figures.ts'
import { readDraft } from './read-media-replay.ts'
import { readReplay } from './read-replay.ts'

const answer = (differing: Partial<Answer> = {}): Answer => ({
  id: 'a1',
  model: 'm',
  state: 'done',
  text: '',
  reasoning: '',
  thoughts: [],
  calls: [],
  finish: null,
  figures: NO_FIGURES,
  failure: null,
  body: null,
  ...differing,
})
const exchange = (id: string, text: string, ...lanes: Answer[][]): Exchange => ({ id, prompt: { text, pictures: [] }, lanes })
const chunk = (delta: JsonRecord, more: JsonRecord = {}): JsonRecord => ({
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
})

describe('withChunk', () => {
  it('adds up text, thoughts, the reason of the end, and what it cost', () => {
    const chunks: JsonRecord[] = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Hm. ' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, cost: 0.000001501 } },
    ]
    expect(chunks.map(isFirstToken)).toEqual([false, true, true, true, false, false])
    const whole = chunks.reduce(withChunk, answer({ state: 'running' }))
    expect(whole).toMatchObject({ text: 'Hello', reasoning: 'Hm. ', finish: 'stop' })
    expect(whole.figures).toMatchObject({ costNano: '1501', inputTokens: 7, outputTokens: 2 })
  })

  it('puts calls together from their pieces, each by its index', () => {
    const pieces = [
      [{ index: 0, id: 'c1', type: 'function', function: { name: 'one', arguments: '' } }],
      [{ index: 1, id: 'c2', type: 'function', function: { name: 'two', arguments: '{"b"' } }],
      [{ index: 0, function: { arguments: '{"a":1}' }, extra_content: { google: { thought_signature: 's' } } }],
      [{ index: 1, function: { arguments: ':2}' } }],
    ]
    const { calls } = pieces.map((calls) => chunk({ tool_calls: calls })).reduce(withChunk, answer())
    expect(calls).toEqual([
      { id: 'c1', index: 0, name: 'one', arguments: '{"a":1}', result: null, extra: { google: { thought_signature: 's' } } },
      { id: 'c2', index: 1, name: 'two', arguments: '{"b":2}', result: null, extra: null },
    ])
  })

  it('puts calls together wherever their indexes begin, and takes one without an index as a whole', () => {
    const pieces = [
      [{ index: 1, id: 'c1', function: { name: 'one', arguments: '' } }],
      [{ index: 1, function: { arguments: '{"a"' } }],
      [{ index: 3, id: 'c3', function: { name: 'three', arguments: '{}' } }],
      [{ index: 1, function: { arguments: ':1}' } }],
      [{ function: { name: 'four', arguments: '{"d":4}' } }],
    ]
    const { calls } = pieces.map((calls) => chunk({ tool_calls: calls })).reduce(withChunk, answer())
    expect(calls.map(({ id, name, arguments: input }) => [id, name, input])).toEqual([
      ['c1', 'one', '{"a":1}'],
      ['c3', 'three', '{}'],
      ['call_2', 'four', '{"d":4}'],
    ])
  })

  it('takes reasoning that was counted and not shown for hidden', () => {
    const usage = { completion_tokens: 5100, completion_tokens_details: { reasoning_tokens: 5000 } }
    const spoken = chunk({ content: 'Hi' })
    const figuresOf = (...chunks: JsonRecord[]) => chunks.reduce(withChunk, answer()).figures
    expect(figuresOf(spoken, { choices: [], usage }).hiddenTokens).toBe(5000)
    expect(figuresOf(chunk({ reasoning: 'Hm.' }), spoken, { choices: [], usage }).hiddenTokens).toBe(0)
  })

  it('keeps every nano of a cost that a float can hold', () => {
    for (const nano of [1n, 999_999_999n, 123_456_789_012_345n, 4_000_000_000_000_001n]) {
      const cost = Number(`${nano / 1_000_000_000n}.${String(nano % 1_000_000_000n).padStart(9, '0')}`)
      expect(withChunk(answer(), { choices: [], usage: { cost } }).figures.costNano).toBe(String(nano))
    }
  })
})

describe('messagesFor', () => {
  const ask = (exchanges: Exchange[], exchangeId: string, lane = 0, model = 'm', system = '') =>
    messagesFor(system, exchanges, { exchangeId, lane, model })

  it('tells a conversation, its system prompt first and its pictures with their prompt', () => {
    const first = exchange('e1', 'Look', [answer({ text: 'A cat.' })])
    first.prompt.pictures = [{ id: 'p', name: 'cat.png', url: 'data:image/png;base64,AA' }]
    expect(ask([first, exchange('e2', 'Sure?')], 'e2', 0, 'm', 'Be brief.')).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
      { role: 'assistant', content: 'A cat.' },
      { role: 'user', content: 'Sure?' },
    ])
  })

  it('takes a call and its result round: call, result, answer', () => {
    const call = { id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}', result: null, extra: null }
    let talk = [exchange('e1', 'Weather?', [answer({ calls: [call] })])]
    // Without its result a call is not told: no vendor takes the one without the other.
    expect(ask(talk, 'e1')).toEqual([{ role: 'user', content: 'Weather?' }])
    talk = changed(talk, { do: 'result', answerId: 'a1', callId: 'c1', result: '{"c":3}' })
    expect(ask(talk, 'e1')).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"c":3}' },
    ])
    talk = changed(talk, { do: 'answer', exchangeId: 'e1', lane: 0, answer: answer({ id: 'a2', text: 'Three degrees.' }) })
    expect(talk[0]?.lanes[0]?.map(({ id }) => id)).toEqual(['a1', 'a2'])
    expect(ask([...talk, exchange('e2', 'Thanks')], 'e2').map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  it('gives each model its own past, and one that came later that of the first, without what was signed for it', () => {
    const thoughts = [{ type: 'reasoning.encrypted', data: 'x' }]
    const talk = [
      exchange('e1', 'One', [answer({ text: 'left', thoughts })], [answer({ id: 'b1', model: 'n', text: 'right' })]),
      exchange('e2', 'Two', [answer({ id: 'a2', text: 'only left' })]),
      exchange('e3', 'Three'),
    ]
    expect(ask(talk, 'e3', 0)).toContainEqual({ role: 'assistant', content: 'left', reasoning_details: thoughts })
    const right = ask(talk, 'e3', 1, 'n').map(({ content }) => content)
    expect(right).toEqual(['One', 'right', 'Two', 'only left', 'Three'])
    expect(
      ask(
        talk
          .slice(0, 1)
          .map((each) => ({ ...each, id: 'e0', lanes: each.lanes.slice(0, 1) }))
          .concat(talk[2] ?? []),
        'e3',
        1,
        'n',
      ),
    ).toContainEqual({ role: 'assistant', content: 'left' })
  })

  it('leaves out what failed', () => {
    const failed = answer({ state: 'failed', text: 'half' })
    expect(ask([exchange('e1', 'One', [failed]), exchange('e2', 'Two')], 'e2').map(({ content }) => content)).toEqual([
      'One',
      'Two',
    ])
  })
})

describe('changed', () => {
  const talk = [exchange('e1', 'One', [answer()]), exchange('e2', 'Two', [answer({ id: 'a2' })])]
  const cases: [Change, (after: Exchange[]) => unknown, unknown][] = [
    [{ do: 'prompt', exchangeId: 'e1', text: 'Uno' }, ([first]) => first?.prompt.text, 'Uno'],
    [{ do: 'text', answerId: 'a2', text: 'Better' }, ([, second]) => second?.lanes[0]?.[0]?.text, 'Better'],
    [
      { do: 'figures', answerId: 'a1', figures: { ...NO_FIGURES, costNano: '5' } },
      ([first]) => first?.lanes[0]?.[0]?.figures.costNano,
      '5',
    ],
    [{ do: 'delete', exchangeId: 'e1' }, (after) => after.map(({ id }) => id), ['e2']],
    [{ do: 'retry', exchangeId: 'e1' }, (after) => after.map(({ id, lanes }) => [id, lanes]), [['e1', []]]],
    [{ do: 'retry', exchangeId: 'none' }, (after) => after.length, 2],
    [
      { do: 'answer', exchangeId: 'e1', lane: 1, answer: answer({ id: 'b1' }) },
      ([first]) => first?.lanes.map((each) => each.length),
      [1, 1],
    ],
    [{ do: 'answer', exchangeId: 'gone', lane: 0, answer: answer() }, (after) => after, talk],
  ]
  it.each(cases)('%j', (change, look, expected) => {
    expect(look(changed(talk, change))).toEqual(expected)
    expect(talk).toHaveLength(2)
  })
})

describe('readParams', () => {
  const all = abilitiesOf({ capabilities: [] })
  it('sends what was typed, as the API names it, and nothing that was not', () => {
    expect(readParams(NO_PARAMS, all, 100)).toEqual({ fields: {}, faults: {} })
    const typed = {
      ...NO_PARAMS,
      temperature: '0.5',
      topP: '1',
      maxTokens: '64',
      seed: '0',
      stop: 'a\n\nb',
      effort: 'low' as const,
      format: 'json_object' as const,
    }
    expect(readParams(typed, all, 100).fields).toEqual({
      temperature: 0.5,
      top_p: 1,
      max_tokens: 64,
      seed: 0,
      stop: ['a', 'b'],
      reasoning_effort: 'low',
      response_format: { type: 'json_object' },
    })
  })
  it('does not ask a model for what it cannot do', () => {
    const plain = abilitiesOf({ capabilities: ['streaming'] })
    const typed = { ...NO_PARAMS, effort: 'low' as const, format: 'json_schema' as const, schema: '{', tools: '[' }
    expect(readParams(typed, plain, 100)).toEqual({ fields: {}, faults: {} })
  })
  it.each([
    ['temperature', '3', 'range'],
    ['topP', 'x', 'range'],
    ['maxTokens', '101', 'range'],
    ['maxTokens', '1.5', 'range'],
    ['tools', '[', 'json'],
    ['tools', '[{"type":"web_search"}]', 'tools'],
    ['tools', '{"name":"a b"}', 'name'],
    ['tools', '[{"name":"a"},{"name":"a"}]', 'twice'],
    ['tools', '{"name":"a","parameters":{"type":"strin"}}', 'schema.type'],
    ['tools', '{"name":"a","parameters":{"type":"string"}}', 'object'],
    ['tools', '{"name":"a","parameters":{"type":"object","properties":[]}}', 'schema.names'],
    ['tools', '{"name":"a","parameters":{"type":"object","required":"a"}}', 'schema.required'],
  ] as const)('finds what is wrong with %s: %s', (name, value, why) => {
    const { fields, faults } = readParams({ ...NO_PARAMS, [name]: value }, all, 100)
    expect(faults[name]?.why).toBe(why)
    expect(fields).toEqual({})
  })
  it('takes a function alone, and a schema for the answer', () => {
    const typed = { ...NO_PARAMS, tools: '{"name":"f"}', format: 'json_schema' as const, schema: '{"type":"object"}' }
    expect(readParams(typed, all, 100).fields).toEqual({
      tools: [{ type: 'function', function: { name: 'f' } }],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' }, strict: true } },
    })
  })
})

describe('a replay', () => {
  const messages: JsonRecord[] = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: '[image/png, 68 bytes, sha256 ab]' } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: '42' },
    { role: 'assistant', content: 'It is 42.' },
    { role: 'user', content: 'Sure?' },
  ]
  it('is the same conversation, and names the media that are missing', () => {
    const body = chatBody('m', messages, {
      temperature: 0.2,
      max_tokens: 9,
      tools: [{ type: 'function', function: { name: 'f' } }],
    })
    const replay = readReplay(body)
    expect(replay).toMatchObject({ model: 'm', system: 'Be brief.', missing: ['[image/png, 68 bytes, sha256 ab]'] })
    const exchanges = replay?.exchanges ?? []
    expect(exchanges).toHaveLength(2)
    const again = messagesFor(replay?.system ?? '', exchanges, { exchangeId: exchanges[1]?.id ?? '', lane: 0, model: 'm' })
    expect(again).toEqual([messages[0], { role: 'user', content: 'Look' }, ...messages.slice(2)])
    const { fields } = readParams(replay?.params ?? NO_PARAMS, abilitiesOf({ capabilities: [] }), 100)
    expect(chatBody('m', messages, fields)).toEqual(body)
  })
  it('is null for what is no chat', () => {
    expect(readReplay({ model: 'm', input: 'x' })).toBeNull()
    expect(readReplay(null)).toBeNull()
  })
  it('fills the mode that an endpoint belongs to', () => {
    const image = { model: 'm', prompt: 'A cat', size: '512x512', n: 2 }
    expect(readDraft('images.generations', image)).toMatchObject({
      mode: 'images',
      draft: { prompt: 'A cat', size: '512x512', count: 2 },
    })
    expect(readDraft('audio.speech', { input: 'Hi', voice: 'v', speed: 2 })).toMatchObject({
      mode: 'speech',
      draft: { text: 'Hi', speed: '2' },
    })
    expect(readDraft('videos.generations', { prompt: 'Sea', duration: 10 })).toMatchObject({
      mode: 'video',
      draft: { duration: 10 },
    })
    expect(readDraft('embeddings', { input: 'x' })).toBeNull()
  })
  it('names uploads that were not kept, and is null where a text was not', () => {
    const edit = { prompt: 'Bluer', n: '2', image: ['a.png [image/png, 68 bytes, sha256 ab]'], mask: 'm.png [image/png]' }
    expect(readDraft('images.edits', edit)).toMatchObject({
      mode: 'images',
      draft: { prompt: 'Bluer', count: 2, missing: ['a.png [image/png, 68 bytes, sha256 ab]', 'm.png [image/png]'] },
    })
    expect(readDraft('audio.transcriptions', { language: 'en', file: 'talk.wav [audio/wav]' })).toMatchObject({
      mode: 'transcribe',
      draft: { language: 'en', missing: ['talk.wav [audio/wav]'] },
    })
    expect(readDraft('images.generations', { prompt: null })).toBeNull()
    expect(readDraft('videos.generations', {})).toBeNull()
  })
})
