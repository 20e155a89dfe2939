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
