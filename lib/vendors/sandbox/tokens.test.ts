import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countTokens, shorten, splitTokens } from './tokens.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.lorem(),
)

describe('tokens', () => {
  it.each([
    ['', []],
    ['Hello, world', ['Hello', ',', ' world']],
    ['simulated model', ['simula', 'ted', ' model']],
    ['你好 世界', ['你', '好', ' 世', '界']],
    ['a  b\n\nc', ['a', '  ', 'b', '\n\n', 'c']],
    ['🎉!', ['🎉', '!']],
    ['100000000000000000000', ['100000', '000000', '000000', '000']],
  ])('%j are %j', (text, tokens) => {
    expect(splitTokens(text)).toEqual(tokens)
  })

  it('are the text when joined, and never more than its bytes', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(splitTokens(text).join('')).toBe(text)
        expect(countTokens(text)).toBe(splitTokens(text).length)
        expect(countTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text))
      }),
    )
  })

  it('stay the same when the text is cut behind one', () => {
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, limit) => {
        const first = splitTokens(text, limit)
        expect(first).toEqual(splitTokens(text).slice(0, limit))
        expect(splitTokens(first.join(''))).toEqual(first)
      }),
    )
  })
})

describe('shorten', () => {
  it('puts a text on one line and says that it was longer', () => {
    expect(shorten(' one\n two ', 2)).toBe('one two')
    expect(shorten('one two three', 2)).toBe('one two…')
  })
})
