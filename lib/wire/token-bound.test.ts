import fc from 'fast-check'
import { expect, it } from 'vitest'
import { maxTokensOf, tokenGrowthOf } from './token-bound.ts'

const name = fc.string({ maxLength: 8 })

it('a value written anew is never longer than it came by more than its numbers can grow', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    fc.constantFrom(1e20, -0, 5e-324),
  )
  const brief = fc.tuple(fc.array(number, { maxLength: 10 }), fc.dictionary(name, number, { maxKeys: 4, noNullPrototype: true }))
  fc.assert(
    fc.property(brief, ([list, named]) => {
      const spelled = (item: number) => item.toExponential().replace('e+', 'e').replace('e0', '')
      const members = Object.entries(named).map(([name, item]) => `${JSON.stringify(name)}:${spelled(item)}`)
      const came = `{"list":[${list.map(spelled).join(',')}],"named":{${members.join(',')}}}`
      const value = JSON.parse(came)
      expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThanOrEqual(Buffer.byteLength(came) + tokenGrowthOf(value))
      expect(tokenGrowthOf(['a', true, null, 5])).toBe(0)
    }),
  )
})

it('a text has as many tokens as bytes at most, in whichever form it is read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ufdfa', '，。', 'ｆｕｌｌ', 'é')), (text) => {
      expect(maxTokensOf(text)).toBe(Math.max(Buffer.byteLength(text), Buffer.byteLength(text.normalize('NFKC'))))
    }),
  )
  expect(maxTokensOf('\ufdfa')).toBe(33)
  expect(maxTokensOf('，')).toBe(3)
})

it('a value can have more tokens than bytes where its texts do, names included', () => {
  const came = { messages: [{ content: ['\ufdfa', 'plain', '，'] }], '\ufdfa': null, flag: true }
  expect(tokenGrowthOf(came)).toBe(60)
  expect(tokenGrowthOf({ a: 'plain', b: [{ c: 'text' }] })).toBe(0)
})

it('is found in little time, whatever marks a text has', () => {
  const marks = `a${'\u0315\u0300'.repeat(4_000_000)}`
  const started = performance.now()
  expect(maxTokensOf(marks)).toBeGreaterThanOrEqual(Buffer.byteLength(marks))
  expect(maxTokensOf('\ufdfa'.repeat(1_000_000))).toBe(33_000_000)
  // Quadratic time would be hours.
  expect(performance.now() - started).toBeLessThan(10_000)
})

it('long runs of marks are no less than they are in their compatibility form', () => {
  const mark = fc.constantFrom('\u0315', '\u0300', '\u0344', '\u0323', '\uff9e', '\u3099', 'a', '\ufdfa', 'か')
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 200 }), (signs) => {
      const text = signs.join('')
      expect(maxTokensOf(text)).toBeGreaterThanOrEqual(Buffer.byteLength(text.normalize('NFKC')))
    }),
  )
})
