import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { eventDataOf, iterateEvents } from '../sse.ts'
import { OWN_HEAD, RULES } from '../testing.ts'
import { normalizeRoles } from './head.ts'
import { ContentPattern } from './pattern.ts'
import { ChatTap } from './tap.ts'

const MODEL = 'our/model'
const word = fc.oneof(
  fc.string({ maxLength: 10, unit: 'grapheme' }),
  fc.string({ maxLength: 4, unit: 'binary' }),
  fc.constantFrom('plain', '"', '\\', '\\"', '\n', '\t', '\u2028', '\u{1f600}', '"content":"', '"},"finish_reason":null}]}'),
)
const object = 'chat.completion.chunk'
/** How a vendor may write its chunks around the text, which has one place in each. Some lack what the gateway adds. */
const forms: ((content: string) => object)[] = [
  (content) => ({ id: 'c', object, model: 'up', choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  (content) => ({
    choices: [{ index: 2, delta: { role: 'assistant', content, refusal: null }, logprobs: null }],
    ...{ model: 'up', object },
  }),
  (content) => ({ id: 'c', object, choices: [{ index: 0, delta: { content } }], model: MODEL, usage: null, obfuscation: 'aB3' }),
  (content) => ({ note: { content: 'x' }, model: 'up', choices: [{ index: 0, delta: { content } }] }),
  (content) => ({ model: 'up', choices: [{ index: 0, delta: { content, reasoning_content: 'hm' } }] }),
  (content) => ({
    id: 'c',
    object,
    model: 'up',
    choices: [{ index: 0, delta: { content, reasoning_content: '', tool_calls: [], annotations: [] }, finish_reason: null }],
  }),
]
const spellings: ((chunk: object) => string)[] = [
  (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
  (chunk) => `event: message\r\ndata:${JSON.stringify(chunk)}\r\n\r\n`,
  (chunk) => `data: ${JSON.stringify(chunk, null, 1).split('\n').join('\ndata: ')}\n\n`,
]

describe('a stream of events that differ in their text alone', () => {
  it('passes, is counted and is kept as if each event had been parsed', () => {
    const forEach = fc.tuple(
      fc.array(word, { minLength: 2, maxLength: 20 }),
      fc.constantFrom(...forms),
      fc.constantFrom(...spellings),
    )
    fc.assert(
      fc.property(forEach, fc.integer({ min: 1, max: 400 }), ([words, form, spell], size) => {
        const bytes = Buffer.from(words.map((text) => spell(form(text))).join(''))
        const tap = new ChatTap({ rules: RULES, wantsUsage: false })
        const out: Buffer[] = []
        for (let at = 0; at < bytes.length; at += size) out.push(Buffer.from(tap.push(bytes.subarray(at, at + size))))
        const sent = [...iterateEvents(Buffer.concat(out))].map((raw) => JSON.parse(eventDataOf(raw) ?? 'null') as unknown)
        // Lone surrogates do not survive the conversion to bytes in any case.
        const said = words.map((text) => JSON.parse(Buffer.from(JSON.stringify(text)).toString()) as string)
        const told = said.map(
          (text): JsonObject => ({ ...OWN_HEAD, ...JSON.parse(JSON.stringify(form(text))), object, model: MODEL }),
        )
        expect(sent).toEqual(told.map((chunk, at) => normalizeRoles(chunk, () => at > 0)))
        const thought = form === forms[4] ? said.map(() => 'hm').join('') : ''
        expect(tap.text()).toBe(thought + said.join(''))
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['', 0],
    [', also where fields of it are empty', 5],
  ])('is recognized from its second event on%s', (_, form) => {
    const event = (content: string) => Buffer.from(`data: ${JSON.stringify(forms[form]?.(content))}\n\n`)
    const chunk = forms[form]?.('one') as JsonObject
    const pattern = ContentPattern.of(chunk, event('one'), (_chunk, raw) => raw)
    expect(pattern?.match(event('two'), 0)?.text).toBe('two')
    expect(pattern?.match(event('two "quoted"'), 0)).toBeNull()
    expect(pattern?.match(event('back\\slash'), 0)).toBeNull()
    expect(pattern?.match(Buffer.from(event('a\u0001b').toString().replace('\\u0001', '\u0001')), 0)).toBeNull()
  })

  it('is not recognized where the text could stand elsewhere', () => {
    const chunk = { choices: [{ index: 0, delta: { content: 'x' } }], other: { content: 'x' } }
    for (const raw of [JSON.stringify(chunk), JSON.stringify(chunk).replace('"content":"x"', '"content": "x"')])
      expect(ContentPattern.of(chunk, Buffer.from(`data: ${raw}\n\n`), (_, bytes) => bytes)).toBeNull()
  })
})
