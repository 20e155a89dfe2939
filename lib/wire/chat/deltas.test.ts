import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { CLAUDE } from '../testing.ts'
import { ChatDeltas } from './deltas.ts'

type Part = LanguageModelV4StreamPart

const begin = (id: string, toolName = 'f'): Part => ({ type: 'tool-input-start', id, toolName })
const add = (id: string, delta: string): Part => ({ type: 'tool-input-delta', id, delta })
const call = (toolCallId: string, input: string, toolName = 'f'): Part => ({ type: 'tool-call', toolCallId, toolName, input })
const end = (unified = 'stop'): Part =>
  ({
    type: 'finish',
    finishReason: { unified, raw: 'x' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  }) as Part

/** The ids and arguments of the calls that a client puts together, and the reason that it is told at the end. */
function read(parts: readonly Part[]) {
  const deltas = new ChatDeltas(CLAUDE, 1)
  const calls: [id: string, args: string][] = []
  let finish: string | null = null
  for (const part of parts) {
    const one = deltas.read({ choice: 0, part })
    // biome-ignore lint/suspicious/noExplicitAny: calls are read field by field
    for (const { index, id, function: called } of (one?.delta.tool_calls ?? []) as any[]) {
      const [known, args] = calls[index] ?? [id, '']
      calls[index] = [known, args + (called.arguments ?? '')]
    }
    finish = one?.finishReason ?? finish
  }
  return { calls, finish }
}

describe('calls', () => {
  it.each([
    ['whole', [call('null', '{"a":1}'), call('null', '{"a":2}'), call('null', '{"a":3}')]],
    [
      'in pieces',
      [
        begin('null'),
        add('null', '{"a":'),
        add('null', '1}'),
        call('null', '{"a":1}'),
        begin('null'),
        add('null', '{"a":2}'),
        call('null', '{"a":2}'),
        call('null', '{"a":3}'),
      ],
    ],
  ])('with one id are two, %s', (_, parts) => {
    expect(read([...parts, end()]).calls).toEqual([
      ['null', '{"a":1}'],
      ['null_1', '{"a":2}'],
      ['null_2', '{"a":3}'],
    ])
  })

  it.each(['', ' ', '{}'])('without arguments, as %j, have an empty object, and all others their text', (empty) => {
    const parts = [
      begin('a'),
      { type: 'tool-input-end', id: 'a' } as Part,
      call('a', empty),
      begin('b'),
      add('b', '{"x"'),
      add('b', ':1}'),
      call('b', '{"x":1}'),
      call('c', empty),
      call('d', '{"y":2}'),
      end('tool-calls'),
    ]
    const { calls, finish } = read(parts)
    expect(calls.map(([id, args]) => [id, JSON.parse(args)])).toEqual([
      ['a', {}],
      ['b', { x: 1 }],
      ['c', {}],
      ['d', { y: 2 }],
    ])
    expect(finish).toBe('tool_calls')
  })
})

it.each([
  ['stop', 'stop', 'tool_calls'],
  ['other', 'stop', 'tool_calls'],
  ['error', 'stop', 'tool_calls'],
  ['length', 'length', 'length'],
  ['content-filter', 'content_filter', 'content_filter'],
])('what ends with %s ends with %s, and after a call with %s', (unified, plain, called) => {
  const text = { type: 'text-delta', id: '0', delta: 'a' } as Part
  expect(read([text, end(unified)]).finish).toBe(plain)
  expect(read([call('a', '{}'), end(unified)]).finish).toBe(called)
})

describe('a custom tool', () => {
  const say = '{"input":"say \\"h\\u00e9\\ud83d\\ude00\\"\\n"}'
  const text = 'say "hé😀"\n'

  function readCustom(parts: readonly Part[]) {
    const deltas = new ChatDeltas(CLAUDE, 1, { customTools: new Set(['c']) })
    const pieces: string[] = []
    const firsts: object[] = []
    for (const part of parts) {
      // biome-ignore lint/suspicious/noExplicitAny: calls are read field by field
      for (const one of (deltas.read({ choice: 0, part })?.delta.tool_calls ?? []) as any[]) {
        if (one.id !== undefined) firsts.push({ id: one.id, type: one.type, name: one.custom.name })
        expect(one).not.toHaveProperty('function')
        pieces.push(one.custom.input)
      }
    }
    return { firsts, input: pieces.join(''), pieces: pieces.filter((piece) => piece !== '').length }
  }

  it('is called with a text, whole or in pieces of any length', () => {
    const firsts = [{ id: 'x', type: 'custom', name: 'c' }]
    expect(readCustom([call('x', say, 'c'), end()])).toEqual({ firsts, input: text, pieces: 1 })
    for (let size = 1; size <= say.length; size++) {
      const pieces = Array.from({ length: Math.ceil(say.length / size) }, (_, at) => say.slice(at * size, (at + 1) * size))
      const read = readCustom([begin('x', 'c'), ...pieces.map((piece) => add('x', piece)), call('x', say, 'c'), end()])
      expect(read, `pieces of ${size}`).toMatchObject({ firsts, input: text })
      if (size < 5) expect(read.pieces).toBeGreaterThan(3)
    }
  })

  it.each([
    ['what it wrote, if that has no text', '{"patch":"p"}', '{"patch":"p"}'],
    ['what it wrote, if that is no JSON', '{"input":', '{"input":'],
    ['its text, if something stands before it', '{"why":"w","input":"p"}', 'p'],
    ['its text, if that is empty', '{"input":""}', ''],
    ['no text, if it is called without any', '{}', ''],
    ['its text, if it has an escape that does not exist', '{"input":"a\\q"}', 'a\\q'],
    ['its text, if a line ends in it', '{"input":"a\nb"}', 'a\nb'],
  ])('gets %s', (_, json, input) => {
    const pieces = [...json].map((piece) => add('x', piece))
    expect(readCustom([begin('x', 'c'), ...pieces, call('x', json, 'c'), end()]).input).toBe(input)
  })

  it('leaves functions beside it as they are', () => {
    const deltas = new ChatDeltas(CLAUDE, 1, { customTools: new Set(['c']) })
    const delta = deltas.read({ choice: 0, part: call('y', '{"input":"x"}', 'f') })?.delta
    expect(delta).toEqual({
      tool_calls: [{ index: 0, id: 'y', type: 'function', function: { name: 'f', arguments: '{"input":"x"}' } }],
    })
  })
})
