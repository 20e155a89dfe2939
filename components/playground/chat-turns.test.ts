import { describe, expect, it } from 'vitest'
import { applyChange, type Change, messagesFor } from './chat-turns.ts'
import type { Exchange } from './chat-types.ts'
import { NO_FIGURES } from './figures.ts'
import { answer, exchange } from './testing.ts'

describe('messagesFor', () => {
  const ask = (exchanges: Exchange[], exchangeId: string, lane = 0, model = 'm', system = '') =>
    messagesFor(system, exchanges, { exchangeId, lane, model, pictures: false })

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
    // A call without its result is left out: no vendor accepts one without the other.
    expect(ask(talk, 'e1')).toEqual([{ role: 'user', content: 'Weather?' }])
    talk = applyChange(talk, { do: 'result', answerId: 'a1', callId: 'c1', result: '{"c":3}' })
    expect(ask(talk, 'e1')).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"c":3}' },
    ])
    talk = applyChange(talk, { do: 'answer', exchangeId: 'e1', lane: 0, answer: answer({ id: 'a2', text: 'Three degrees.' }) })
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

  it('shows a model the images that it made with the next prompt, and those of others if it accepts images', () => {
    const talk = [
      exchange('e1', 'Draw', [answer({ text: 'Here:', images: ['data:image/png;base64,AA'] })]),
      exchange('e2', 'Bluer'),
    ]
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }
    const shown = [
      { role: 'user', content: 'Draw' },
      { role: 'assistant', content: 'Here:' },
      { role: 'user', content: [{ type: 'text', text: 'Bluer' }, image] },
    ]
    expect(ask(talk, 'e2')).toEqual(shown)
    expect(messagesFor('', talk, { exchangeId: 'e2', lane: 1, model: 'n', pictures: true })).toEqual(shown)
    expect(ask(talk, 'e2', 1, 'n').at(-1)).toEqual({ role: 'user', content: 'Bluer' })
  })

  it('shows an image that was made before a tool was called after the result of the tool', () => {
    const call = { id: 'c1', name: 'frame', arguments: '{}', result: 'framed', extra: null }
    const talk = [exchange('e1', 'Draw', [answer({ images: ['data:image/png;base64,AA'], calls: [call] })])]
    expect(ask(talk, 'e1').map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
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
    expect(look(applyChange(talk, change))).toEqual(expected)
    expect(talk).toHaveLength(2)
  })
})
