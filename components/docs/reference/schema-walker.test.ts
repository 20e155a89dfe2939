import { describe, expect, it } from 'vitest'
import { exampleOf } from './example.ts'
import { operationsOf } from './operations.ts'
import { createWalker, type Field } from './schema-walker.ts'

const node = {
  type: 'object',
  properties: { next: { $ref: '#/components/schemas/Node' }, name: { type: 'string' } },
  required: ['name'],
}
const walker = createWalker({ Node: node, Part0_1: { type: 'object', properties: { a: { type: 'string' } } } })
const outline = (fields: readonly Field[]): unknown[] =>
  fields.map(({ name, type, required, children }) => [
    `${name}${required ? '' : '?'}`,
    type,
    ...(children.length ? [outline(children)] : []),
  ])

describe('the walker of schemas', () => {
  it('says of a field what it takes', () => {
    const field = walker.field(
      'n',
      { anyOf: [{ type: 'integer', minimum: 1, maximum: 8, default: 1 }, { type: 'null' }], description: 'Few.' },
      false,
    )
    expect(field).toMatchObject({ type: 'integer', nullable: true, required: false, description: 'Few.', values: [] })
    expect(field.constraints).toEqual([
      { name: 'minimum', value: '1' },
      { name: 'maximum', value: '8' },
      { name: 'default', value: '1' },
    ])
  })
  it('writes types as code does', () => {
    const type = (schema: object) => walker.field('x', schema, true).type
    expect(type({ type: ['string', 'null'] })).toBe('string')
    expect(type({ enum: ['a', 'b'] })).toBe('string')
    expect(type({ const: 'list' })).toBe('"list"')
    expect(
      type({ anyOf: [{ type: 'string' }, { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }] }),
    ).toBe('string | (string | integer)[]')
    expect(type({ $ref: '#/components/schemas/Node' })).toBe('Node')
    expect(type({ $ref: '#/components/schemas/Part0_1' })).toBe('object')
    expect(type({ type: 'string', contentMediaType: 'application/octet-stream' })).toBe('file')
    expect(type({})).toBe('any')
  })
  it('does not walk in circles, nor after a reference that leads nowhere', () => {
    expect(outline(walker.fields({ $ref: '#/components/schemas/Node' }))).toEqual([
      ['next?', 'Node'],
      ['name', 'string'],
    ])
    expect(walker.fields({ $ref: '#/components/schemas/Nothing' })).toEqual([])
  })
  it('keeps the forms of a union apart, by what tells them apart', () => {
    const text = { type: 'object', properties: { type: { const: 'text' }, text: { type: 'string' } }, required: ['type', 'text'] }
    const image = { type: 'object', properties: { type: { const: 'image' }, url: { type: 'string' } }, required: ['type'] }
    const fields = walker.fields({
      type: 'object',
      properties: { parts: { type: 'array', items: { oneOf: [text, image] } } },
      required: ['parts'],
    })
    expect(fields[0]?.children.map(({ name, variant }) => [name, variant])).toEqual([
      ['type: "text"', true],
      ['type: "image"', true],
    ])
    expect(outline(fields[0]?.children[1]?.children ?? [])).toEqual([
      ['type', '"image"'],
      ['url?', 'string'],
    ])
  })
  it('leaves out limits that are only those of JSON numbers', () => {
    expect(walker.field('x', { type: 'integer', maximum: Number.MAX_SAFE_INTEGER }, true).constraints).toEqual([])
  })
})

describe('the example of an endpoint', () => {
  const document = {
    paths: {
      '/v1/pictures/{id}': {
        post: {
          operationId: 'pictures',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          requestBody: {
            content: {
              'multipart/form-data': {
                schema: {
                  type: 'object',
                  properties: {
                    image: { type: 'string', contentMediaType: 'x' },
                    model: { type: 'string' },
                    n: { type: 'integer' },
                  },
                  required: ['image', 'model'],
                },
              },
            },
          },
          responses: {
            200: { content: { 'application/json': { schema: node } } },
            413: { description: 'Refused.', 'x-codes': ['request_too_large'] },
          },
        },
      },
    },
  }
  it('has what is required, and files as files', () => {
    const [operation] = operationsOf(document)
    expect(operation).toMatchObject({ method: 'POST', errors: [{ status: '413', codes: ['request_too_large'] }] })
    expect(operation && exampleOf(operation, 'http://x', { model: "it's", greeting: 'Hi', voice: 'alloy' })).toBe(
      [
        'curl http://x/v1/pictures/ID \\',
        '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
        "  -F 'image=@image.png' \\",
        "  -F 'model=it'\\''s'",
      ].join('\n'),
    )
  })
})
