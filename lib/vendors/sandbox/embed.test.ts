import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_DIMENSIONS, embed } from './embed.ts'

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
const near = (a: string, b: string, dimensions?: number): number => cosine(embed(a, dimensions), embed(b, dimensions))

/** A text, a text that is closer to it, and one that is further away. */
const TRIPLES: [text: string, nearer: string, further: string][] = [
  ['The cat sits on the mat', 'A cat is sitting on a mat', 'Interest rates rose in March'],
  ['How do I reset my password?', 'I forgot my password and need to reset it', 'Which invoices are overdue?'],
  ['cheap flights to Paris', 'flight tickets for Paris, cheap', 'recipes for apple pie'],
  ['The dog bit the man', 'A dog bit a man', 'The man bit the dog'],
  ['two red apples', 'one red apple', 'two blue cars'],
  ['running shoes', 'a shoe to run in', 'walking stick'],
  ['The invoices were paid', 'We paid the invoice', 'The invader was slain'],
  ['photosynthesis in plants', 'how a plant does photosynthesis', 'photographs of planets'],
  ['Internationale Organisation', 'international organization', 'a bowl of soup'],
  ['La température est élevée', 'La temperature est elevee', 'Le train est en retard'],
  ['universidad de Madrid', 'university in Madrid', 'a football match'],
  ['今天天气很好', '今天的天气真好', '我想买一台电脑'],
  ['東京の天気', '東京の明日の天気', '株価が下がった'],
  ['Москва столица России', 'столица России Москва', 'рецепт яблочного пирога'],
  ['TypeScript compiler error TS2322', 'error TS2322 of the TypeScript compiler', 'The weather in Lisbon'],
  ['to be or not to be', 'not to be, or to be', 'the the the of of of'],
]

describe('embed', () => {
  it.each(TRIPLES)('puts "%s" nearer to "%s" than to "%s"', (text, nearer, further) => {
    for (const dimensions of [256, DEFAULT_DIMENSIONS, 3072]) {
      expect(near(text, nearer, dimensions)).toBeGreaterThan(near(text, further, dimensions) + 0.08)
    }
  })

  it('tells one order of words from another, and holds them near', () => {
    const swapped = near('The dog bit the man', 'The man bit the dog')
    expect(swapped).toBeLessThan(0.97)
    expect(swapped).toBeGreaterThan(0.5)
  })

  it('finds the document that answers, among others', () => {
    const documents = [
      'Refunds are paid back to the card within five working days.',
      'The kitchen is open from noon until ten in the evening.',
      'Our servers are in Frankfurt and are backed up every night.',
      'You can change your delivery address until the parcel is sent.',
    ]
    const best = (query: string) => documents.toSorted((a, b) => near(query, b) - near(query, a))[0]
    expect(best('when is my refund paid')).toBe(documents[0])
    expect(best('kitchen opening, evenings')).toBe(documents[1])
    expect(best('where are the server backups')).toBe(documents[2])
    expect(best('changing the address of a delivery')).toBe(documents[3])
  })

  it('has nearly nothing in common with what shares no word', () => {
    expect(Math.abs(near('purple elephants dance', 'quarterly tax forms'))).toBeLessThan(0.15)
  })

  it('is of unit length and the same each time, for any text and any number of dimensions', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.lorem(), fc.constantFrom('', ' ', '!', '🎉'))
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 3072 }), (given, dimensions) => {
        const vector = embed(given, dimensions)
        expect(vector).toHaveLength(dimensions)
        expect(Math.abs(Math.hypot(...vector) - 1)).toBeLessThan(1e-5)
        expect(embed(given, dimensions)).toEqual(vector)
      }),
      { numRuns: 60 },
    )
  })

  it('tells texts apart that have no words', () => {
    expect(near('!', '?')).toBeLessThan(0.9)
    expect(near('', ' ')).toBeLessThan(0.9)
  })

  it('is quick with a long text', () => {
    const words = Array.from({ length: 8000 }, (_, at) => `word${at % 700}`).join(' ')
    const started = performance.now()
    embed(words)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it.each([0, -1, 1.5, 3073, Number.NaN])('refuses %d dimensions', (dimensions) => {
    expect(() => embed('a', dimensions)).toThrow(RangeError)
  })
})
