import { expect, it } from 'vitest'
import { NO_USAGE } from '../../domain/usage.ts'
import { eventDataOf, iterateEvents } from '../sse.ts'
import { CALLS, RULES } from '../testing.ts'
import { ChatTap } from './tap.ts'

const PIECE_BYTES = 9

interface Chunk {
  choices: [{ delta: { tool_calls: object[] } }]
}

const eventOf = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
const dataOf = (events: Uint8Array): string[] => [...iterateEvents(Buffer.from(events))].map((event) => eventDataOf(event) ?? '')

/** Sends these deltas through a tap in small pieces. Returns it, and what is left of the calls in them, piece by piece. */
function read(deltas: readonly object[], calls = CALLS): { tap: ChatTap; left: object[] } {
  const tap = new ChatTap({ rules: { ...RULES, ...calls }, wantsUsage: false })
  const bytes = Buffer.from(deltas.map(eventOf).join(''))
  const out: Buffer[] = []
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) out.push(Buffer.from(tap.push(bytes.subarray(at, at + PIECE_BYTES))))
  const chunks = dataOf(Buffer.concat(out)).map((data) => JSON.parse(data) as Chunk)
  return { tap, left: chunks.flatMap(({ choices: [{ delta }] }) => delta.tool_calls) }
}

// Google's own OpenAI wire, https://ai.google.dev/gemini-api/docs/openai, and https://github.com/ollama/ollama/issues/15457.
it.each([{}, { index: 0 }, { index: 1 }, { index: -1 }, { index: 1.5 }, { index: 1e10 }])(
  'calls that a vendor numbers %j leave with numbers of their own',
  (given) => {
    const call = (id: string, args: string) => ({ ...given, id, type: 'function', function: { name: 'f', arguments: args } })
    const { tap, left } = read([
      { tool_calls: [call('a', '{"x"')] },
      { tool_calls: [{ ...given, function: { arguments: ':1}' } }] },
      { tool_calls: [call('b', '{"y":2}'), call('c', '{}')] },
    ])
    expect(left).toMatchObject([
      { index: 0, id: 'a', function: { arguments: '{"x"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: 'b', function: { arguments: '{"y":2}' } },
      { index: 2, id: 'c', function: { arguments: '{}' } },
    ])
    const whole = { choices: [{ message: { tool_calls: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] } }] }
    expect(tap.toAnswerJson()).toMatchObject(whole)
  },
)

it.each(['a', 'made-anew'])('a call says its id and its name once, also of a vendor that has %s in each piece', (id) => {
  const call = (own: string, args: string) => ({
    index: 0,
    id: own,
    type: 'function',
    function: { name: 'f', arguments: args },
  })
  const first = call('a', '{"x"')
  const second = id === 'a' ? call(id, ':1}') : { index: 0, id, function: { name: '', arguments: ':1}' } }
  const again = id === 'a' ? { type: 'function', function: { arguments: ':1}' } } : { function: { name: '', arguments: ':1}' } }
  expect(read([{ tool_calls: [first] }, { tool_calls: [second] }]).left).toEqual([first, { index: 0, ...again }])
})

it('a call in the form that it had before there were several is said, counted and kept', () => {
  const { tap } = read([{ role: 'assistant', content: null }])
  expect(tap.started).toBe(false)
  for (const call of [{ name: 'look', arguments: '' }, { arguments: '{"at":' }, { arguments: '1}' }])
    tap.push(Buffer.from(eventOf({ function_call: call })))
  expect(tap.started).toBe(true)
  expect(tap.text()).toBe('look{"at":1}')
  expect(tap.toAnswerJson()).toMatchObject({
    choices: [{ message: { content: null, function_call: { name: 'look', arguments: '{"at":1}' } } }],
  })
})

it.each([
  [false, 'tool_calls'],
  [true, 'stop'],
])('a stream with a call that ends without a reason gets the one of whole answers (forced: %s)', (forced, reason) => {
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const { tap } = read([{ tool_calls: [call] }], { ...CALLS, forced })
  tap.push(Buffer.from('data: [DONE]\n\n'))
  const [end = ''] = dataOf(tap.tail(NO_USAGE, 0n))
  expect(JSON.parse(end).choices).toEqual([{ index: 0, delta: {}, finish_reason: reason }])
})
