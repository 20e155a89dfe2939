import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeValue } from './schema-value.ts'

type Schema = Record<string, unknown> | boolean

// Without ownProperties, Ajv treats `constructor` of Object.prototype as a property of every object.
const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true })

/** Checks a value with another implementation, after a round trip through JSON, as on the wire. */
function expectValid(schema: Schema, text = 'the weather in Paris'): void {
  const value = makeValue(schema, text)
  expect(value, JSON.stringify(schema)).not.toBeUndefined()
  const validate = ajv.compile(schema)
  expect(validate(JSON.parse(JSON.stringify(value))), JSON.stringify({ schema, value, errors: validate.errors })).toBe(true)
}

const range = (low: string, high: string, max: number) =>
  fc.tuple(fc.nat(max), fc.nat(max), fc.boolean(), fc.boolean()).map(([a, b, withLow, withHigh]) => ({
    ...(withLow ? { [low]: Math.min(a, b) } : {}),
    ...(withHigh ? { [high]: Math.max(a, b) } : {}),
  }))

// Ajv compares with fast-deep-equal, which calls these on the values themselves.
const listed = fc.jsonValue({ maxDepth: 1 }).filter((value) => !/"(valueOf|toString|constructor)"/.test(JSON.stringify(value)))

const name = fc.constantFrom('city', 'unit', 'days', 'a/b', 'x~y', '__proto__', 'constructor', 'ü')

const { schema: anySchema } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    range('minLength', 'maxLength', 60).map((limits) => ({ type: 'string', ...limits })),
    range('minimum', 'maximum', 1000).map((limits) => ({ type: 'number', ...limits })),
    range('exclusiveMinimum', 'maximum', 1000)
      .filter((limits) => (limits.maximum ?? 2000) > (limits.exclusiveMinimum ?? 0))
      .map((limits) => ({ type: 'integer', ...limits })),
    fc.tuple(fc.integer({ min: -500, max: 500 }), fc.integer({ min: 1, max: 20 })).map(([low, step]) => ({
      type: 'integer',
      minimum: low,
      maximum: low + step,
      multipleOf: step,
    })),
    fc.constantFrom(0.01, 0.1, 0.25).map((step) => ({ type: 'number', minimum: 0.07, multipleOf: step })),
    fc.constantFrom<Schema>({ type: 'boolean' }, { type: 'null' }, { type: ['null', 'string'] }, {}, true, {
      type: 'string',
      format: 'date-time',
    }),
    listed.map((value) => ({ const: value })),
    fc.array(listed, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
    fc.tuple(tie('schema'), range('minItems', 'maxItems', 5)).map(([items, limits]) => ({ type: 'array', items, ...limits })),
    fc
      .tuple(fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), tie('schema'))
      .map(([prefixItems, items]) => ({ type: 'array', prefixItems, items })),
    fc.nat(5).map((minItems) => ({ type: 'array', items: { type: 'string', minLength: 2 }, minItems, uniqueItems: true })),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => ({ anyOf: [a, b] })),
    tie('schema').map((branch) => ({ anyOf: [false, branch] })),
    fc.tuple(tie('object'), fc.nat(10)).map(([object, other]) => ({ oneOf: [object, { const: other }] })),
    tie('object'),
    tie('object').map((object) => ({
      allOf: [object, { type: 'object', properties: { more: { type: 'integer' } }, required: ['more'] }],
    })),
  ) as fc.Arbitrary<Schema>,
  object: fc
    .tuple(fc.dictionary(name, tie('schema'), { maxKeys: 4 }), fc.array(name, { maxLength: 3 }), fc.nat(5))
    .map(([properties, required, minProperties]) => ({
      type: 'object',
      properties,
      required: [...new Set(required)],
      minProperties,
    })),
}))

describe('makeValue', () => {
  it('makes values that another validator accepts, for schemas of the supported subset', () => {
    fc.assert(fc.property(anySchema, fc.lorem({ maxCount: 6 }), expectValid), { numRuns: 400 })
  })

  it('follows references, those in $defs too', () => {
    fc.assert(
      fc.property(anySchema, (inner) =>
        expectValid({
          type: 'object',
          properties: { a: { $ref: '#/$defs/in~1ner' } },
          required: ['a'],
          additionalProperties: false,
          $defs: { 'in/ner': inner },
        }),
      ),
    )
  })

  it('ends schemas that refer to themselves', () => {
    const node = {
      type: 'object',
      properties: {
        value: { type: 'integer', minimum: 3 },
        left: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        kids: { type: 'array', items: { $ref: '#' } },
      },
      required: ['value', 'left', 'kids'],
      additionalProperties: false,
    }
    expectValid({ $ref: '#/$defs/node', $defs: { node } })
    expectValid({ ...node, $defs: { node } })
  })

  it.each<[string, Schema, unknown]>([
    ['the first of an enum', { enum: ['celsius', 'fahrenheit'] }, 'celsius'],
    ['the first branch', { oneOf: [{ const: 'a' }, { const: 'b' }] }, 'a'],
    ['the prompt as a string', { type: 'string' }, 'Hello'],
    ['as much of it as fits', { type: 'string', maxLength: 3 }, 'Hel'],
    ['only what is required', { properties: { a: { type: 'null' }, b: true }, required: ['a'] }, { a: null }],
    [
      'everything where nothing is required',
      { properties: { a: { type: 'integer', maximum: -2 }, b: true } },
      { a: -2, b: 'Hello' },
    ],
    ['a list without repeats', { type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true }, [1, 2, 3]],
  ])('takes %s', (_, schema, value) => {
    expect(makeValue(schema, 'Hello')).toEqual(value)
  })

  it.each<[string, Schema]>([
    ['no schema can be met', false],
    ['an empty range', { type: 'integer', minimum: 3, maximum: 2 }],
    ['a list as long as memory', { type: 'array', items: { type: 'array', minItems: 1e6 }, minItems: 1e9 }],
    ['a text as long as memory', { type: 'string', minLength: 1e9 }],
    ['a reference to itself', { $ref: '#' }],
    ['an object without end', { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }],
    [
      'a long list that is referred to often',
      {
        type: 'array',
        minItems: 5000,
        items: { $ref: '#/$defs/a' },
        $defs: { a: { enum: Array.from({ length: 20_000 }, String) } },
      },
    ],
    ['two long lists of types', { allOf: [{ type: Array(20_000).fill('a') }, { type: Array(20_000).fill('b') }] }],
    [
      'two long lists of values',
      {
        allOf: [{ enum: Array.from({ length: 20_000 }, (_, at) => `a${at}`) }, { enum: Array.from({ length: 20_000 }, String) }],
      },
    ],
    ['a long value that a long list has not', { const: 'y'.repeat(200_000), enum: Array(20_000).fill(0) }],
    ['an object with endless names', { type: 'object', minProperties: 1e9 }],
  ])('gives up soon on %s', (_, schema) => {
    const start = performance.now()
    expect(makeValue(schema, 'Hello')).toBeUndefined()
    expect(performance.now() - start).toBeLessThan(5000)
  })
})
