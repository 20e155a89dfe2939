import type { JSONSchema7 } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { withSupportedStrictness } from './strict-tools.ts'

const text: JSONSchema7 = { type: 'string' }
const object = (properties: Record<string, JSONSchema7>, more: JSONSchema7 = {}): JSONSchema7 => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})
const toolOf = (inputSchema: JSONSchema7, name = 'f') => ({ type: 'function' as const, name, inputSchema, strict: true })
const isStrict = (...schemas: JSONSchema7[]) => {
  const { tools, ignored } = withSupportedStrictness(schemas.map((schema) => toolOf(schema)))
  const strict = tools.map((tool) => tool.type === 'function' && tool.strict === true)
  expect(ignored).toEqual(strict.every(Boolean) ? [] : ['tools.strict'])
  return strict
}
const maybe: JSONSchema7 = { anyOf: [text, { type: 'null' }] }
const $ref = '#/$defs/A'

it.each<[string, JSONSchema7]>([
  ['plain properties', object({ a: text, b: { type: 'array', items: object({ c: { enum: ['x'] } }) } })],
  ['a property called like a keyword', object({ pattern: text, minimum: { type: 'integer' } })],
  ['definitions that are used twice', object({ a: { $ref }, b: { $ref } }, { $defs: { A: object({ a: text }) } })],
  ['known formats and unions', object({ a: { type: 'string', format: 'uuid' }, b: maybe })],
])('is strict about %s', (_, schema) => {
  expect(isStrict(schema)).toEqual([true])
})

it.each<[string, JSONSchema7]>([
  ['a bound', object({ a: { type: 'integer', minimum: 1 } })],
  ['a bound within', object({ a: { type: 'array', items: object({ b: { ...maybe, maxLength: 5 } }) } })],
  ['a bound in a definition', object({ a: { $ref } }, { $defs: { A: { type: 'string', pattern: '^a' } } })],
  ['an unknown format', object({ a: { type: 'string', format: 'color' } })],
  ['objects with other properties', object({ a: { type: 'object', properties: {} } })],
  ['what contains itself', object({ a: { $ref } }, { $defs: { A: object({ a: { anyOf: [{ $ref }, { type: 'null' }] } }) } })],
  ['a definition that is not there', object({ a: { $ref } })],
])('is not strict about %s', (_, schema) => {
  expect(isStrict(schema, object({}))).toEqual([false, true])
})

it('is strict about none of the tools if they are too many or too complex together', () => {
  const properties = (count: number, schema = text) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema]))
  const times = (count: number, schema: JSONSchema7) => isStrict(...Array.from({ length: count }, () => schema))
  for (const [most, count, schema] of [
    [true, 20, object({})],
    [false, 21, object({})],
    [true, 2, object(properties(12), { required: [] })],
    [false, 2, object(properties(13), { required: [] })],
    [true, 2, object(properties(8, maybe))],
    [false, 2, object(properties(9, maybe))],
  ] as const)
    expect(times(count, schema)).toEqual(Array.from({ length: count }, () => most))
})

it('counts the schema of the answer too, whatever else is in it', () => {
  const unions = (count: number) => object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, maybe])))
  const answer = (count: number) => ({ type: 'json' as const, schema: object({ n: { minimum: 1 }, a: unions(count) }) })
  expect(withSupportedStrictness([toolOf(unions(8))], answer(8)).ignored).toEqual([])
  expect(withSupportedStrictness([toolOf(unions(8))], answer(9)).ignored).toEqual(['tools.strict'])
})

it('counts nothing of tools that are not strict for themselves', () => {
  const optional = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`p${index}`, text]))
  const bounded = { ...optional, n: { type: 'integer' as const, minimum: 1 } }
  expect(isStrict(object(bounded, { required: [] }), object({ a: text }))).toEqual([false, true])
})

it('leaves tools alone that are not strict', () => {
  const tools = [{ type: 'function' as const, name: 'f', inputSchema: object({ a: { minimum: 1 } }) }]
  expect(withSupportedStrictness(tools)).toEqual({ tools, ignored: [] })
})
