import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AnswerCorrections,
  correctWhole,
  eventCorrector,
  withArgumentsAsText,
  withIdAndArguments,
} from './correct-answer.ts'

/** Doubles what is marked, drops what is unknown, and counts the events of each stream. */
const CORRECTIONS: AnswerCorrections = {
  answer: (answer) => ({ ...answer, corrected: true }),
  events() {
    let count = 0
    return (event) => {
      if (event.unknown) return []
      count++
      return event.twice ? [event, { ...event, again: count }] : [event]
    }
  },
}

function correct(bytes: Buffer, sizes: readonly number[]): string {
  const corrector = eventCorrector(CORRECTIONS)
  let written = ''
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number
    written += Buffer.from(corrector(bytes.subarray(at, at + size))).toString()
    at += size
  }
  return written
}

describe('eventCorrector', () => {
  const sent = [
    'event: a\ndata: {"text":"\u{1f600} line\u2028separator","twice":true}\n\n',
    ': a comment\n\n',
    'data: {"unknown":true}\r\n\r\n',
    'data: not JSON\ndata: in two lines\n\n',
    'data: {"last":1}\n\ndata: {"cut":',
  ].join('')
  const expected = [
    'data: {"text":"\u{1f600} line\u2028separator","twice":true}\n\n',
    'data: {"text":"\u{1f600} line\u2028separator","twice":true,"again":1}\n\n',
    'data: not JSON\ndata: in two lines\n\n',
    'data: {"last":1}\n\n',
  ].join('')

  it('writes the same however the bytes are cut', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(sizes, (cut) => {
        expect(correct(Buffer.from(sent), cut)).toBe(expected)
      }),
    )
  })

  it('keeps nothing from one stream to the next', () => {
    for (let turn = 0; turn < 2; turn++) expect(correct(Buffer.from(sent), [1000])).toBe(expected)
  })
})

describe('correctWhole', () => {
  it('corrects objects only', () => {
    expect(correctWhole('{"a":1}', CORRECTIONS)).toBe('{"a":1,"corrected":true}')
    for (const text of ['[1]', 'null', 'not JSON', '']) expect(correctWhole(text, CORRECTIONS)).toBe(text)
  })
})

describe('calls', () => {
  it.each([
    ['an object', { a: { b: [1] } }, '{"a":{"b":[1]}}'],
    ['null', null, ''],
    ['nothing', undefined, ''],
    ['a list, which is none', [1], ''],
    ['a text', '{"a":1}', '{"a":1}'],
  ])('have arguments that are a text, from %s', (_, args, text) => {
    expect(withArgumentsAsText({ index: 3, function: { name: 'f', arguments: args } })).toEqual({
      index: 3,
      function: { name: 'f', arguments: text },
    })
  })

  it('have an id, each its own', () => {
    const call = { function: { name: 'f', arguments: '{}' } }
    const [one, other] = [withIdAndArguments(call), withIdAndArguments({ ...call, id: '' })]
    expect(one.id).toMatch(/^call_/)
    expect(other.id).not.toBe(one.id)
    expect(withIdAndArguments({ ...call, id: 'mine' }).id).toBe('mine')
  })
})
