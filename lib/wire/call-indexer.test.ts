import { describe, expect, test } from 'vitest'
import { ChatFold } from './chat/fold.ts'
import type { JsonObject } from './json.ts'
import { nonStreamingFromChat } from './responses/chat-tap.ts'
import { preparedResponse } from './testing.ts'

interface Piece {
  index?: number
  id?: string | null
  name?: string | null
  args?: string
}

const piece = ({ index, id, name, args = '' }: Piece): JsonObject => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { ...(name === undefined ? {} : { name }), arguments: args },
})

/** The calls that the deltas of a stream become, each delta in a chunk of its own. */
function groupPieces(pieces: readonly Piece[]): [string, string, string][] {
  const fold = new ChatFold()
  for (const one of pieces) fold.add({ choices: [{ index: 0, delta: { tool_calls: [piece(one)] } }] })
  const { choices } = fold.toAnswerJson('m') as { choices: { message: { tool_calls: never[] } }[] }
  return (choices[0]?.message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => [id, name, args])
}

const TWO = [
  ['a', 'f', '{"x":1}'],
  ['b', 'g', '{"y":2}'],
]

const NUMBERS: [number, number][] = [
  [0, 1],
  [1, 0],
  [-1, 1e10],
]

describe('two calls are two', () => {
  test.each<[string, Piece[]]>([
    ...NUMBERS.map(([one, other]): [string, Piece[]] => [
      `numbered ${one} and ${other}, in pieces that are mixed`,
      [
        { index: one, id: 'a', name: 'f', args: '{"x"' },
        { index: other, id: 'b', name: 'g' },
        { index: other, args: '{"y":2}' },
        { index: one, args: ':1}' },
      ],
    ]),
    [
      'with names and ids in every piece, as at Mistral',
      [
        { index: 0, id: 'a', name: 'f', args: '{"x"' },
        { index: 0, id: 'a', name: 'f', args: ':1}' },
        { index: 1, id: 'b', name: 'g', args: '{"y":2}' },
      ],
    ],
    [
      'with an id of its own for each piece',
      [
        { index: 0, id: 'a', name: 'f', args: '{"x"' },
        { index: 0, id: 'zz', name: null, args: ':1}' },
        { index: 1, id: 'b', name: 'g', args: '{"y":2}' },
      ],
    ],
    [
      'with one number for all',
      [
        { index: 0, id: 'a', name: 'f', args: '{"x"' },
        { index: 0, args: ':1}' },
        { index: 0, id: 'b', name: 'g' },
        { index: 0, id: null, name: '', args: '{"y":2}' },
      ],
    ],
    [
      "without numbers, as in Google's own OpenAI wire",
      [{ id: 'a', name: 'f', args: '{"x"' }, { args: ':1}' }, { id: 'b', name: 'g', args: '{"y"' }, { id: 'b', args: ':2}' }],
    ],
  ])('%s', (_, pieces) => {
    expect(groupPieces(pieces)).toEqual(TWO)
  })

  test.each(['', 'a'])('without numbers and with one id or none, where each is whole: "%s"', (id) => {
    expect(
      groupPieces([
        { id, name: 'f', args: '{"x":1}' },
        { id, name: 'f', args: '{"y":2}' },
      ]),
    ).toEqual([
      [id, 'f', '{"x":1}'],
      [id, 'f', '{"y":2}'],
    ])
  })
})

describe('one number for all', () => {
  const forced = ['{"', 'x', '":', ' 1', '}'].map((args, at): Piece => ({ index: 0, id: `tool-${at}`, name: 'f', args }))

  test('is one call where each piece has a name and an id of its own, as in vLLM if a function is forced', () => {
    expect(groupPieces(forced)).toEqual([['tool-0', 'f', '{"x": 1}']])
  })

  test.each(['', undefined])('is two calls without ids (%j), each with its name and its arguments', (id) => {
    const more = id === undefined ? {} : { id }
    const calls = groupPieces([
      { index: 0, name: 'f', args: '{"x":1}', ...more },
      { index: 0, name: 'g', args: '{"y":2}', ...more },
      { index: 0, name: 'g', args: '{"y":3}', ...more },
    ])
    expect(calls.map(([, name, args]) => [name, args])).toEqual([
      ['f', '{"x":1}'],
      ['g', '{"y":2}'],
      ['g', '{"y":3}'],
    ])
  })

  test('is one call whose name is repeated at its end, or comes in pieces', () => {
    expect(
      groupPieces([
        { index: 0, name: 'f', args: '{"x":1}' },
        { index: 0, name: 'f' },
      ]),
    ).toHaveLength(1)
    expect(
      groupPieces([
        { index: 0, name: 'get_' },
        { index: 0, name: 'weather', args: '{}' },
      ]),
    ).toHaveLength(1)
  })

  test('is two calls of custom tools, whose inputs are any text', () => {
    const fold = new ChatFold()
    for (const [id, input] of [
      ['a', 'print('],
      ['b', 'ls'],
    ])
      fold.add({
        choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id, type: 'custom', custom: { name: 'run', input } }] } }],
      })
    const { choices } = fold.toAnswerJson('m') as { choices: { message: { tool_calls: object[] } }[] }
    expect(choices[0]?.message.tool_calls).toHaveLength(2)
  })

  test('is two calls of which the first takes nothing', () => {
    expect(
      groupPieces([
        { index: 0, id: 'a', name: 'f' },
        { index: 0, id: 'b', name: 'g', args: '{"y":2}' },
      ]),
    ).toEqual([
      ['a', 'f', ''],
      ['b', 'g', '{"y":2}'],
    ])
  })
})

test('a piece without a number that repeats its id and its name goes on with its call', () => {
  const pieces = ['{"x"', ':1}'].map((args): Piece => ({ id: 'a', name: 'f', args }))
  expect(groupPieces(pieces)).toEqual([['a', 'f', '{"x":1}']])
})

test.each([{ id: 'f' }, { id: 'f', index: 0 }, {}])('those of a whole answer are told apart already: %j', async (given) => {
  const calls = ['{"x":1}', '{"y":2}'].map((args) => piece({ name: 'f', args, ...given }))
  const chat = { choices: [{ index: 0, message: { role: 'assistant', tool_calls: calls }, finish_reason: 'tool_calls' }] }
  const head = { modelId: 'm', requestId: `req_${'0'.repeat(26)}`, at: new Date(0), type: '' }
  const answer = nonStreamingFromChat(Buffer.from(JSON.stringify(chat)), await preparedResponse({ input: 'x' }), head)
  expect((answer.toAnswerJson() as JsonObject).output).toMatchObject([{ arguments: '{"x":1}' }, { arguments: '{"y":2}' }])
})
