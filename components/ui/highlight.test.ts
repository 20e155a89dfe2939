import { describe, expect, it } from 'vitest'
import { highlight } from './highlight.ts'

const kinds = (code: string) =>
  highlight(code)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => [kind, text])

describe('highlight', () => {
  it.each([
    [
      'curl "http://x" # go',
      [
        ['word', 'curl'],
        ['string', '"http://x"'],
        ['comment', '# go'],
      ],
    ],
    [
      'const a = \'it\' // b "c"',
      [
        ['word', 'const'],
        ['string', "'it'"],
        ['comment', '// b "c"'],
      ],
    ],
    [
      '"a \\" b" in x',
      [
        ['string', '"a \\" b"'],
        ['word', 'in'],
      ],
    ],
    ['important = format', []],
  ])('of %s', (code, expected) => {
    expect(kinds(code)).toEqual(expected)
  })
  it('loses nothing', () => {
    const code = "f('x') # y\n\"open\n`z` https://a//b"
    expect(
      highlight(code)
        .map(({ text }) => text)
        .join(''),
    ).toBe(code)
  })
})
