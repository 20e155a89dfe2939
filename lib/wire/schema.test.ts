import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { chatSchema } from './chat/schema.ts'
import { completionsSchema } from './completions/schema.ts'
import { embeddingsSchema } from './embeddings/schema.ts'
import { imageSchema } from './image/schema.ts'
import { responsesSchema } from './responses/schema.ts'
import { parseWith } from './schema.ts'
import { speechSchema } from './speech/schema.ts'

const URL = 'https://example.org/a.png'
const CALL = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
const SCHEMA = { type: 'object', properties: { a: { enum: [1, null, 'x'] } } }
const MORE = { temperature: 0.5, top_p: 1, stop: ['x'], seed: 7, logit_bias: { 50256: -1 }, user: 'u', n: 2, stream: false }

const CHAT = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.', name: 'x' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'image_url', image_url: { url: URL, detail: 'low' } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', content: 'done', tool_call_id: 'c1' },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: SCHEMA, strict: true } }],
  tool_choice: 'auto',
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } },
  stream_options: null,
  max_tokens: 9,
  own: { field: [1] },
  ...MORE,
}
const RESPONSE = {
  model: 'm',
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'done' },
  ],
  instructions: 'Be brief.',
  tools: [{ type: 'function', name: 'f', parameters: SCHEMA }],
  text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA } },
}

const SAMPLES: [string, z.ZodType, object][] = [
  ['chat', chatSchema, CHAT],
  ['responses', responsesSchema, RESPONSE],
  ['completions', completionsSchema, { model: 'm', prompt: ['a', 'b'], echo: true, suffix: 's', ...MORE }],
  ['embeddings', embeddingsSchema, { model: 'm', input: [[1, 2], [3]], dimensions: 8, encoding_format: 'base64' }],
  ['images', imageSchema, { model: 'm', prompt: 'p', n: 2, size: '1024x1024', quality: 'hd', response_format: 'url' }],
  ['speech', speechSchema, { model: 'm', input: 'Say it', voice: 'alloy', response_format: 'mp3', speed: 1 }],
]

/** The paths of all places in a value. */
const pathsIn = (value: unknown, path: string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([name, item]) => pathsIn(item, [...path, name]))]
    : [path]

/** The value with the place at a path replaced; undefined removes it. */
function replaceAt(value: unknown, [name, ...rest]: string[], by: unknown): unknown {
  if (name === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  const made = replaceAt(copy[name], rest, by)
  if (made === undefined) delete copy[name]
  else copy[name] = made
  return copy
}

describe.each(SAMPLES)('the parser that is compiled of the schema of %s', (_name, schema, sample) => {
  const quick = z.compile(schema, { strict: true })
  const paths = pathsIn(sample)
  const strange = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.constantFrom<unknown>('', 0, -1, 1e21, null, [], {}, [[]]))

  it('takes what the schema takes, and makes the same of it', () => {
    expect(quick.safeParse(sample).success).toBe(true)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...paths), strange), { minLength: 1, maxLength: 3 }), (changes) => {
        const body = changes.reduce<unknown>((made, [path, by]) => {
          try {
            return replaceAt(made, path, by)
          } catch {
            return made
          }
        }, sample)
        const [made, known] = [quick.safeParse(body), schema.safeParse(body)]
        expect(made.success).toBe(known.success)
        expect(JSON.stringify(made.data)).toBe(JSON.stringify(known.data))
        expect(made.error?.issues).toEqual(known.error?.issues)
      }),
      { numRuns: 1500 },
    )
  })
})

describe('what takes several forms', () => {
  const many = (count: number, item: unknown) => Array.from({ length: count }, () => item)
  it.each([
    ['a list that is too long', chatSchema, CHAT, { stop: many(17, 'x') }, 'The field "stop" is not accepted: Too big: '],
    [
      'a list of nothing',
      chatSchema,
      CHAT,
      { messages: [{ role: 'user', content: [] }] },
      'content" is not accepted: Too small: ',
    ],
    ['items that are too many', responsesSchema, RESPONSE, { input: many(10_001, RESPONSE.input[0]) }, 'Too big: '],
    ['a text that is too long', responsesSchema, RESPONSE, { input: 'x'.repeat(10_485_761) }, 'Too big: '],
    ['a number', chatSchema, CHAT, { stop: 5 }, 'The field "stop" is not accepted: it does not match any accepted format.'],
  ])('says of %s what is wrong with it', (_name, schema, body, more, message) => {
    expect(() => parseWith(schema, { ...body, ...more })).toThrow(message)
  })
})
