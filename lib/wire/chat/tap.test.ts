import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../../domain/usage.ts'
import type { JsonObject } from '../json.ts'
import { eventDataOf, iterateEvents } from '../sse.ts'
import { CALLS, OWN_HEAD, RULES } from '../testing.ts'
import { CallNormalizer } from './calls.ts'
import { normalizeRoles } from './head.ts'
import { ChatTap } from './tap.ts'
import { readChatUsage } from './usage.ts'

const MODEL = 'our/model'

interface Read {
  out: Buffer
  end: unknown
  text: string
  folded: unknown
  broken: string | null
  tail: string
}

/** Feeds a stream to a tap in pieces of these sizes, repeatedly. The memory of each piece is reused. */
function read(bytes: Buffer, sizes: readonly number[], wantsUsage = true): Read {
  const tap = new ChatTap({ rules: RULES, wantsUsage })
  const out: Buffer[] = []
  let at = 0
  for (let turn = 0; at < bytes.length && !tap.done && !tap.broken; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    const feed = Buffer.from(bytes.subarray(at, at + size))
    out.push(Buffer.from(tap.push(feed)))
    feed.fill(0x58)
    at += size
  }
  const end = tap.end()
  return {
    out: Buffer.concat(out),
    end,
    text: tap.text(),
    folded: tap.toAnswerJson(),
    broken: tap.broken?.detail ?? null,
    tail: Buffer.from(tap.tail(end.usage ?? NO_USAGE, 5n)).toString(),
  }
}

const word = fc.oneof(
  fc.string({ maxLength: 12, unit: 'grapheme' }),
  fc.constantFrom('"model"', '"model":"up"', '\n\n', 'data: [DONE]', '\u{1f600}', '\u2028', '\ufeff'),
)
const delta = fc.oneof(
  fc.record({ content: word }),
  fc.record({ role: fc.constant('assistant'), content: fc.constant('') }),
  fc.record({ reasoning_content: word }),
  fc.record({ refusal: word }),
  fc.record({
    tool_calls: fc.array(
      fc.record({ index: fc.nat(2), id: fc.constant('call'), function: fc.record({ name: word, arguments: word }) }),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  fc.record({ function_call: fc.record({ name: word, arguments: word }, { requiredKeys: [] }) }),
  fc.constant({}),
)
const choice = fc.record({ index: fc.nat(2), delta, finish_reason: fc.constantFrom(null, null, 'stop', 'length') })
const tokens = fc.integer({ min: 1, max: 1000 })
const usage = fc.record({ prompt_tokens: tokens, completion_tokens: tokens })
const chunk = fc.record(
  {
    id: fc.constant('chatcmpl-1'),
    created: fc.constant(7),
    model: fc.constantFrom('up', MODEL, 'a "quoted" one', 5, null),
    choices: fc.array(choice, { maxLength: 3 }),
    usage: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: usage }),
    extra: word,
  },
  { requiredKeys: ['choices'] },
)
const end = fc.constantFrom('\n', '\r\n', '\r')
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })

interface Stream {
  chunks: object[]
  bytes: Buffer
}
const diverse = fc.array(fc.tuple(chunk, fc.nat(4)), { minLength: 1, maxLength: 8 })
/** As models send them: events that differ only in their text, and sometimes something else. */
const alike = fc
  .tuple(
    fc.constantFrom('up', MODEL),
    fc.nat(3),
    fc.array(fc.oneof({ weight: 6, arbitrary: word }, { weight: 1, arbitrary: chunk }), { maxLength: 12 }),
  )
  .map(([model, spelling, items]) =>
    items.map((item): [object, number] => [
      typeof item === 'string'
        ? { id: 'chatcmpl-1', model, choices: [{ index: 0, delta: { content: item }, finish_reason: null }] }
        : item,
      spelling,
    ]),
  )
/** A stream in any of the spellings that the standard allows: line ends, comments, other fields, data over several lines. */
const stream = fc.tuple(fc.oneof(diverse, alike), end, fc.boolean()).map(([items, lineEnd, done]): Stream => {
  const events = items.map(([item, spelling]) => {
    const json = JSON.stringify(item, null, spelling === 4 ? 1 : undefined)
    const data = json.split('\n').map((line) => `${spelling === 1 ? 'data:' : 'data: '}${line}`)
    return [...(spelling === 2 ? ['event: message', 'id: 5'] : []), ...data, '', ...(spelling === 3 ? [': alive', ''] : [])]
  })
  const lines = [...events.flat(), ...(done ? ['data: [DONE]', ''] : [])]
  return { chunks: items.map(([item]) => item), bytes: Buffer.from(lines.map((line) => line + lineEnd).join('')) }
})

/** The JSON of every event that was sent. */
const sent = (out: Buffer): unknown[] =>
  [...iterateEvents(out)].map(eventDataOf).flatMap((data) => (data === null ? [] : [JSON.parse(data) as unknown]))

describe('ChatTap', () => {
  it('gives the same bytes, usage, text and end, however the stream is cut', () => {
    fc.assert(
      fc.property(stream, sizes, ({ bytes }, cut) => {
        expect(read(bytes, cut)).toEqual(read(bytes, [bytes.length]))
        expect(read(bytes, [1])).toEqual(read(bytes, [bytes.length]))
      }),
      { numRuns: 200 },
    )
  })

  it.each(['ten', 7, [10, 5], true])('takes a usage out that makes no sense, and tells its own: %j', (odd) => {
    const said = { id: 'c', created: 1, object: 'chat.completion.chunk', model: 'up' }
    const chunks = [
      { ...said, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
      { ...said, choices: [], usage: odd },
    ]
    const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`)
    const { out, tail } = read(Buffer.from(events.join('')), [1_000])
    expect(out.toString()).not.toContain('usage')
    expect(tail).toContain('"usage":{"prompt_tokens":0')
  })

  it('passes every chunk on under our names of the model and of its kind, without its usage, and nothing else', () => {
    fc.assert(
      fc.property(stream, sizes, ({ bytes, chunks }, cut) => {
        const begun = new Set<number>()
        const calls = new CallNormalizer(CALLS)
        const said = (chunks as { id?: string; usage?: object | null; choices: { index: number }[] }[]).filter(
          ({ usage, choices }) => usage != null || choices.length > 0,
        )
        const { id = OWN_HEAD.id, created = OWN_HEAD.created } = (said[0] ?? {}) as { id?: string; created?: number }
        const expected = said.flatMap((item) => {
          const numbered = calls.normalize(item as unknown as JsonObject)
          const begins = normalizeRoles(numbered, (index) => begun.has(index))
          for (const { index } of item.choices) begun.add(index)
          const own = { created, ...begins, id, object: 'chat.completion.chunk', model: MODEL }
          const { usage, ...rest }: JsonObject = own
          if (usage == null) return [{ ...rest, ...('usage' in item ? { usage } : {}) }]
          return item.choices.length === 0 ? [] : [rest]
        })
        expect(sent(read(bytes, cut).out)).toEqual(JSON.parse(JSON.stringify(expected)))
      }),
      { numRuns: 200 },
    )
  })

  it('writes every event in one line with a space and a line feed, whatever its vendor does', () => {
    fc.assert(
      fc.property(stream, sizes, ({ bytes }, cut) => {
        const { out, tail } = read(bytes, cut)
        for (const event of iterateEvents(Buffer.concat([out, Buffer.from(tail)])))
          expect(event.toString()).toMatch(/^(?:data: (?:\{[^\r\n]*\}|\[DONE\])|:)\n\n$/)
      }),
    )
  })

  it.each(['data:', 'data: '])('passes on in this form what begins with %j and has any line ends', (opening) => {
    const said = ['a', 'b', 'c', 'd'].map((content) =>
      JSON.stringify({
        ...{ id: 'c', object: 'chat.completion.chunk', created: 7, model: MODEL },
        choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }],
      }),
    )
    const told = said.map((json, at) => `data: ${at === 0 ? json : json.replace('"role":"assistant",', '')}\n\n`).join('')
    for (const lineEnd of ['\n', '\r', '\r\n'])
      expect(read(Buffer.from(said.map((json) => opening + json + lineEnd + lineEnd).join('')), [9]).out.toString()).toBe(told)
  })

  it.each(['up', MODEL])(
    'passes nothing of an event of %s but its data: no words, ids, names and pauses of its vendor',
    (model) => {
      const object = 'chat.completion.chunk'
      const dataOfText = (content: string, name: string): string =>
        `data: ${JSON.stringify({ id: 'c', object, created: 7, model: name, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n`
      const opening = `data: ${JSON.stringify({ id: 'c', object, choices: [{ index: 0, delta: { role: 'assistant' } }] })}\n\n`
      const texts = ['a', 'b', 'c', 'd', 'e', 'f']
      const around = [
        (data: string) => `: from up\nid: 7\nevent: delta\nretry: 1\n${data}\n`,
        (data: string) => `${data}: from up\n\n`,
      ]
      for (const spell of around) {
        const events = texts.map((text) => spell(dataOfText(text, model)))
        const expected = texts.map((text) => `${dataOfText(text, MODEL)}\n`).join('')
        const { out } = read(Buffer.from(opening + events.join('')), [7])
        expect(out.toString().slice(-expected.length)).toBe(expected)
        expect([...iterateEvents(out)]).toHaveLength(texts.length + 1)
      }
    },
  )

  it('reports the last usage that the vendor gave, and tells it once, at the end, to who asked', () => {
    fc.assert(
      fc.property(stream, sizes, fc.boolean(), ({ bytes, chunks }, cut, wants) => {
        const counts = (chunks as { usage?: object | null }[]).flatMap((item) => (item.usage == null ? [] : [item.usage]))
        const seen = read(bytes, cut, wants)
        expect((seen.end as { usage: unknown }).usage).toEqual(counts.length === 0 ? null : readChatUsage(counts.at(-1)))
        expect(seen.tail.endsWith('data: [DONE]\n\n')).toBe(true)
        expect(seen.tail.includes('"cost":0.000000005')).toBe(wants)
      }),
    )
  })

  it('tells whose its usage is, where the first chunk does not say so', () => {
    const opening = { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] }
    const said = { id: 'chatcmpl-7', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'up' }
    const chunks = [
      opening,
      { ...said, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
      { ...said, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } },
    ]
    const events = [...chunks.map((item) => JSON.stringify(item)), '[DONE]'].map((data) => `data: ${data}\n\n`)
    const { tail, folded } = read(Buffer.from(events.join('')), [1_000])
    const { id, created } = said
    expect(JSON.parse(eventDataOf(Buffer.from(tail.split('\n\n')[0] ?? '')) ?? '')).toMatchObject({ id, created, choices: [] })
    expect(folded).toMatchObject({ id, created })
  })

  it('takes any bytes at all, cut anywhere, without failing, and finds the same in them', () => {
    const soup = fc
      .array(
        fc.oneof(
          fc.constantFrom('data: ', '\n', '\n\n', '{"choices":[]}', '{"choices":5}', '[DONE]', ':', '\r', '{', 'null', '[]'),
          fc.constantFrom('{"error":{"code":"x"}}', '{"choices":[null,{"delta":5}]}', '{"usage":{"prompt_tokens":-1}}'),
          fc.json({ maxDepth: 3 }),
        ),
        { maxLength: 20 },
      )
      .map((parts) => Buffer.from(parts.join('')))
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 80 }).map(Buffer.from), soup)
    fc.assert(
      fc.property(bytes, sizes, (all, cut) => {
        const seen = read(all, cut)
        const { complete } = seen.end as { complete: boolean }
        if (seen.broken === null) expect(sent(seen.out).every((item) => typeof item === 'object')).toBe(true)
        // Whatever the bytes are, an answer is complete only if it says so.
        if (complete) expect(all.toString()).toMatch(/\[DONE\]|finish_reason/)
      }),
      { numRuns: 3000 },
    )
  })

  it('a chunk cut off anywhere is no complete answer', () => {
    const full = Buffer.from('data: {"id":"x","choices":[{"index":0,"delta":{"content":"\u00e9"},"finish_reason":null}]}\n\n')
    for (let at = 0; at <= full.length; at++) expect(read(full.subarray(0, at), [3]).end).toMatchObject({ complete: false })
  })
})
