import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asRefusal } from '../../domain/errors.ts'
import { parseWith } from '../schema.ts'
import { type ChatBody, chatSchema } from './schema.ts'

const parse = (body: unknown): ChatBody => parseWith(chatSchema, body)

/** The param of the refusal of a body; undefined if the body is accepted. */
function paramOf(body: unknown): string | null | undefined {
  try {
    parse(body)
    return undefined
  } catch (error) {
    const refusal = asRefusal(error)
    if (refusal?.condition !== 'invalid_request') throw error
    return refusal.param
  }
}

const plain = { model: 'a/b', messages: [{ role: 'user', content: 'x' }] }
const KNOWN = new Set(Object.keys(chatSchema.shape))
/** Any JSON, except with the one name that zod, rightly, does not copy. */
const json = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
const ownName = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !KNOWN.has(name) && name !== '__proto__')

const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string() }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: fc.webUrl() }) }),
  fc.record({
    type: fc.constant('input_audio'),
    input_audio: fc.record({ data: fc.base64String({ minLength: 4 }), format: fc.constant('wav') }),
  }),
  fc.record({
    type: fc.constant('file'),
    file: fc.record({ file_data: fc.constant('data:application/pdf;base64,AA=='), filename: fc.constant('a.pdf') }),
  }),
)
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content: fc.string() }),
  fc.record({ role: fc.constant('user'), content: fc.array(part, { minLength: 1, maxLength: 4 }) }),
  fc.record({ role: fc.constant('assistant'), content: fc.string() }),
  fc.record({
    role: fc.constant('assistant'),
    tool_calls: fc.array(
      fc.record({
        id: fc.constant('c'),
        type: fc.constant('function'),
        function: fc.record({ name: fc.constant('f'), arguments: fc.string() }),
      }),
      { minLength: 1 },
    ),
  }),
  fc.record({ role: fc.constant('tool'), content: fc.string(), tool_call_id: fc.constant('c') }),
)
/** Any body that the OpenAI document allows, in the fields that this endpoint knows, with extra fields everywhere. */
const good = fc
  .tuple(
    fc.array(message, { minLength: 1, maxLength: 5 }),
    fc.record(
      {
        temperature: fc.double({ min: 0, max: 2, noNaN: true }),
        top_p: fc.double({ min: 0, max: 1, noNaN: true }),
        n: fc.integer({ min: 1, max: 128 }),
        max_tokens: fc.integer({ min: 1, max: 2_000_000_000 }),
        stop: fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 4 })),
        presence_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
        seed: fc.maxSafeInteger(),
        stream: fc.boolean(),
        user: fc.string(),
        logprobs: fc.boolean(),
        response_format: fc.constantFrom({ type: 'text' }, { type: 'json_object' }),
        tool_choice: fc.constantFrom('auto', 'none', { type: 'function', function: { name: 'f' } }),
        store: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    fc.dictionary(ownName, json, { maxKeys: 4, noNullPrototype: true }),
  )
  .map(([messages, known, own]) => ({ ...own, model: 'a/b', messages, ...known }))

describe('a chat body', () => {
  it('that is good passes with every field that it has, known or not, unchanged', () => {
    fc.assert(
      fc.property(good, (body) => {
        expect(parse(body)).toEqual(body)
      }),
      { numRuns: 500 },
    )
  })

  it.each(['user', 'safety_identifier', 'prompt_cache_key'])('has a text for %s', (field) => {
    expect(paramOf({ ...plain, [field]: 5 })).toBe(field)
    expect(paramOf({ ...plain, [field]: 'x' })).toBeUndefined()
  })

  it("has a prediction of OpenAI's type, as a text or as texts", () => {
    const content = 'x'
    for (const good of [content, [{ type: 'text', text: 'x' }]])
      expect(paramOf({ ...plain, prediction: { type: 'content', content: good } })).toBeUndefined()
    expect(paramOf({ ...plain, prediction: 'x' })).toBe('prediction')
    expect(paramOf({ ...plain, prediction: { type: 'text', content } })).toBe('prediction.type')
    expect(paramOf({ ...plain, prediction: { type: 'content' } })).toBe('prediction.content')
  })

  it('with null for anything optional says nothing, and passes', () => {
    const required = new Set(['model', 'messages'])
    for (const name of KNOWN) if (!required.has(name)) expect(paramOf({ ...plain, [name]: null }), name).toBeUndefined()
  })

  it('keeps fields of its own inside messages, parts and tools', () => {
    fc.assert(
      fc.property(
        ownName.filter((name) => !['role', 'content', 'name', 'type', 'text', 'function'].includes(name)),
        json,
        (name, value) => {
          const body = {
            ...plain,
            messages: [{ role: 'user', content: [{ type: 'text', text: 'x', [name]: value }], [name]: value }],
            tools: [{ type: 'function', function: { name: 'f', parameters: { [name]: value }, [name]: value }, [name]: value }],
          }
          fc.pre(!['parameters', 'description', 'strict'].includes(name))
          expect(parse(body)).toEqual(body)
        },
      ),
    )
  })

  it('that is anything at all is read or refused, and the refusal names a field that is there or missing', () => {
    const field = fc.oneof(fc.constantFrom(...KNOWN), fc.string({ maxLength: 5 }))
    fc.assert(
      fc.property(fc.dictionary(field, json, { maxKeys: 6, noNullPrototype: true }), (more) => {
        const param = paramOf({ ...plain, ...more })
        if (param === undefined || param === null) return
        const [top = ''] = param.split(/[.[]/)
        expect(KNOWN.has(top), param).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it("that reaches into a vendor's account or starts what has no price is refused, whatever else it says", () => {
    const fields = [
      'previous_response_id',
      'conversation',
      'container',
      'vector_store_ids',
      'file_ids',
      'audio',
      'service_tier',
      'background',
    ]
    fc.assert(
      fc.property(
        good,
        fc.constantFrom(...fields),
        json.filter((value) => value !== null && value !== 'auto' && value !== 'default'),
        (body, field, value) => {
          expect(paramOf({ ...body, [field]: value })).toBe(field)
        },
      ),
    )
  })

  it('with a tool that runs at the vendor is refused, wherever it stands in the list', () => {
    const hosted = fc.string({ minLength: 1 }).filter((type) => type !== 'function' && type !== 'custom')
    const own = { type: 'function', function: { name: 'f' } }
    fc.assert(
      fc.property(hosted, fc.nat(4), (type, before) => {
        const tools = [...Array.from({ length: before }, () => own), { type, function: { name: 'f' }, custom: { name: 'c' } }]
        expect(paramOf({ ...plain, tools })).toBe(`tools[${before}].type`)
      }),
    )
  })

  it('with an output of a tool that is no text is refused, and says where it belongs', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] }
    const body = (part: object) => {
      const output = { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'x' }, part] }
      return { ...plain, messages: [...plain.messages, call, output] }
    }
    for (const part of [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGVsbG8=' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,aGVsbG8=' } },
      { type: 'input_audio', input_audio: { data: 'aGVsbG8=', format: 'wav' } },
      { type: 'input_image', image_url: 'https://example.com/a.png' },
    ]) {
      expect(paramOf(body(part))).toBe('messages[2].content[1].type')
      expect(() => parse(body(part))).toThrow(/tool outputs must be text here; send images .+ "user"/)
    }
    expect(paramOf(body({ type: 'text', text: 'y' }))).toBeUndefined()
  })

  it('with a number out of its range is refused by that field', () => {
    const ranges: [string, number, number][] = [
      ['temperature', 0, 2],
      ['top_p', 0, 1],
      ['presence_penalty', -2, 2],
      ['frequency_penalty', -2, 2],
      ['n', 1, 128],
      ['max_tokens', 1, 2_000_000_000],
      ['top_logprobs', 0, 20],
    ]
    fc.assert(
      fc.property(fc.constantFrom(...ranges), fc.double({ noNaN: false }), ([name, low, high], value) => {
        fc.pre(!(value >= low && value <= high))
        expect(paramOf({ ...plain, [name]: value })).toBe(name)
      }),
    )
    for (const [name, low, high] of ranges)
      for (const value of [low, high]) expect(paramOf({ ...plain, [name]: value }), name).toBeUndefined()
  })
})
