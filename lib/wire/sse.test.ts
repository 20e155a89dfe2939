import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventSplitter, encodeEvent, endsWithDone, eventDataOf, isDoneMarker, iterateEvents } from './sse.ts'

/** Feeds bytes in pieces of these sizes, repeatedly. Returns the data of every event, the rest, and the bytes that passed. */
function read(bytes: Buffer, sizes: readonly number[]): { data: (string | null)[]; rest: string; passed: Buffer } {
  const splitter = new EventSplitter({ maxEventBytes: 1_000_000 })
  const passed: Buffer[] = []
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    // The memory of a piece is reused for the next one, so nothing may keep it.
    const feed = Buffer.from(bytes.subarray(at, at + size))
    passed.push(Buffer.from(splitter.push(feed)))
    feed.fill(0x58)
    at += size
  }
  const rest = splitter.rest().toString()
  const data = passed.flatMap((piece) => [...iterateEvents(piece)].map(eventDataOf))
  return { data: data.filter((item) => item !== null), rest, passed: Buffer.concat(passed) }
}

/** A direct implementation of the HTML standard, section 9.2.6: lines, with an empty line at the end of each event. */
function standard(text: string): string[] {
  const events: string[] = []
  let data: string[] | null = null
  const lines = text.split(/\r\n|\r|\n/)
  // What follows the last line end is not a line yet.
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data !== null) events.push(data.join('\n'))
      data = null
    } else if (line.startsWith('data:')) {
      data ??= []
      data.push(line.slice(5).replace(/^ /, ''))
    }
  }
  return events
}

const word = fc.string({ maxLength: 12, unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''))
const line = fc.oneof(
  { weight: 5, arbitrary: word.map((text) => `data: ${text}`) },
  word.map((text) => `data:${text}`),
  word.map((text) => `: ${text}`),
  word.map((text) => `event: ${text}`),
  fc.constant('id: 5'),
)
const ending = fc.constantFrom('\n', '\r\n', '\r')
const event = fc.tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 3 }))
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 })

const encode = (events: [string[], number][], end: string): string =>
  events.map(([lines, empty]) => lines.map((text) => text + end).join('') + end.repeat(empty)).join('')

describe('EventSplitter', () => {
  it('finds the same events however the bytes are cut, with one kind of line end', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), ending, sizes, (events, end, cut) => {
        const text = encode(events, end)
        const { data, rest, passed } = read(Buffer.from(text), cut)
        expect(data).toEqual(standard(text))
        expect(passed.toString() + rest).toBe(text)
        expect(rest.trim()).toBe('')
      }),
      { numRuns: 500 },
    )
  })

  it('finds them with the three kinds of line end mixed', () => {
    const mixed = fc.array(fc.tuple(line, ending, fc.option(ending, { nil: '' })), { maxLength: 12 })
    fc.assert(
      fc.property(mixed, sizes, (lines, cut) => {
        // An event of LF LF at the end completes everything before it.
        const text = `${lines.map(([content, end, empty]) => content + end + empty).join('')}\n\n`
        const { data, passed, rest } = read(Buffer.from(text), cut)
        expect(data).toEqual(standard(text))
        expect(passed.toString() + rest).toBe(text)
        expect(rest.trim()).toBe('')
      }),
      { numRuns: 500 },
    )
  })

  it('never gives a part of an event, nor invents one from any bytes', () => {
    const soup = fc
      .array(fc.constantFrom('\n', '\r', '\n\n', '\r\n', 'data: a', 'data', ':', 'x'), { maxLength: 25 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(soup, sizes, (text, cut) => {
        const { data, rest, passed } = read(Buffer.from(text), cut)
        expect(passed.toString() + rest).toBe(text)
        const all = standard(text)
        expect(all.slice(0, data.length)).toEqual(data)
      }),
      { numRuns: 2000 },
    )
  })

  it('drops the byte order mark before the first event, and only there', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 3 }), ending, sizes, (events, end, cut) => {
        const text = encode(events, end)
        const marked = read(Buffer.from(`\ufeff${text}`), cut)
        expect(marked.data).toEqual(standard(text))
        expect(marked.passed.toString() + marked.rest).toBe(text)
      }),
    )
    expect(read(Buffer.from('data: 1\n\n\ufeffdata: 2\n\n'), [4]).data).toEqual(['1'])
  })

  it('cuts no character in two', () => {
    const text = `data: \u{1f600}\u4f60\u00fc\n\n`
    for (let size = 1; size <= Buffer.byteLength(text); size++)
      expect(read(Buffer.from(text), [size]).data).toEqual(['\u{1f600}\u4f60\u00fc'])
  })

  it('passes events on at once', () => {
    const splitter = new EventSplitter({ maxEventBytes: 100 })
    expect(splitter.push(Buffer.from('data: 1\n\ndata')).toString()).toBe('data: 1\n\n')
    expect(splitter.push(Buffer.from(': 2\n')).toString()).toBe('')
    expect(splitter.push(Buffer.from('\n')).toString()).toBe('data: 2\n\n')
    expect(splitter.push(Buffer.from('data: 3\r\r')).toString()).toBe('data: 3\r\r')
    expect(splitter.rest().toString()).toBe('')
  })

  it('refuses an event that is too long, whole or in pieces, and only that', () => {
    const splitter = () => new EventSplitter({ maxEventBytes: 100 })
    expect(() => splitter().push(Buffer.alloc(101, 0x61))).toThrow(RangeError)
    const dripping = splitter()
    for (let sent = 0; sent < 100; sent++) dripping.push(Buffer.from('a'))
    expect(() => dripping.push(Buffer.from('a'))).toThrow(RangeError)
    const busy = splitter()
    for (let sent = 0; sent < 100; sent++) busy.push(Buffer.from(`data: ${'x'.repeat(50)}\n\n`))
    expect(busy.rest().length).toBe(0)
  })

  it('takes a long event in small pieces without looking at all of it each time', () => {
    const splitter = new EventSplitter({ maxEventBytes: 20_000_000 })
    const piece = Buffer.alloc(4096, 0x61)
    const started = performance.now()
    for (let sent = 0; sent < 16_000_000; sent += piece.length) splitter.push(piece)
    expect(splitter.push(Buffer.from('\n\n')).length).toBeGreaterThan(16_000_000)
    // Searching everything again for each piece would take some 30 s.
    expect(performance.now() - started).toBeLessThan(12_000)
  })
})

it.each([
  ['data: [DONE]', true],
  ['data:[DONE]', true],
  ['data:  [DONE]', true],
  ['data:\t [DONE] \t', true],
  ['data: [DONE] bye', true],
  ['event: end\ndata:   [DONE]  ', true],
  ['data: "[DONE]"', false],
  ['data: {"text":"[DONE]"}', false],
  [': [DONE]', false],
])('%j ends a stream: %s', (event, isDone) => {
  expect(isDoneMarker(eventDataOf(Buffer.from(`${event}\n\n`)))).toBe(isDone)
  expect(endsWithDone(event)).toBe(isDone)
})

it('what encodeEvent writes is read back', () => {
  fc.assert(
    fc.property(fc.json(), sizes, (json, cut) => {
      expect(read(encodeEvent(json), cut)).toMatchObject({ data: [json], rest: '' })
    }),
  )
})
