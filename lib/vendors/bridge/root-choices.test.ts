import type { JSONSchema7 } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { measureCpuMs } from '../../domain/testing.ts'
import { withoutRootChoices } from './root-choices.ts'

const [text, count] = [{ type: 'string' }, { type: 'integer' }] as const
const toolOf = (inputSchema: JSONSchema7) => ({ type: 'function' as const, name: 'f', inputSchema })

it.each<[string, JSONSchema7, object]>([
  [
    'ways to give the same, of which one is enough',
    {
      type: 'object',
      properties: { title: text },
      required: ['title'],
      anyOf: [
        { type: 'object', properties: { content: text, size: count }, required: ['content'] },
        { type: 'object', properties: { url: text, size: text }, required: ['url'] },
      ],
    },
    { properties: { title: text, content: text, url: text, size: { anyOf: [count, text] } }, required: ['title'] },
  ],
  [
    'which of them has to be there',
    { type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    { properties: { a: text, b: text }, required: [] },
  ],
  [
    'what all require',
    {
      anyOf: [
        { properties: { a: text }, required: ['a', 'k'] },
        { properties: { k: text }, required: ['k'] },
      ],
    },
    { properties: { a: text, k: text }, required: ['k'] },
  ],
  [
    'all at once, one in another',
    { allOf: [{ properties: { a: text }, required: ['a'] }, { allOf: [{ properties: { b: text }, required: ['b'] }] }] },
    { properties: { a: text, b: text }, required: ['a', 'b'] },
  ],
])('%s', (_, schema, expected) => {
  expect(withoutRootChoices([toolOf(schema)])).toEqual({
    tools: [toolOf({ type: 'object', ...expected })],
    ignored: ['tools.parameters'],
  })
})

it('a choice that stands deeper is taken, and the very same', () => {
  const tools = [toolOf({ type: 'object', properties: { a: { anyOf: [text, count] } } })]
  expect(withoutRootChoices(tools).tools).toBe(tools)
})

it('as many required names as a request has room for hold nobody up', () => {
  const names = (letter: string) => ({ required: Array.from({ length: 40_000 }, (_, at) => letter + at) })
  const tool = toolOf({ anyOf: [names('a'), names('b')] })
  const expected = [{ inputSchema: { required: [] } }]
  expect(measureCpuMs(() => expect(withoutRootChoices([tool]).tools).toMatchObject(expected))).toBeLessThan(4_000)
})
