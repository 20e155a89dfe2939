import fc from 'fast-check'
import { expect, it } from 'vitest'
import { transcribe } from './transcribe.ts'

it('fills the recording from its first to its last moment, without gaps, in words and in segments', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 90, noNaN: true }), fc.string(), (seconds, name) => {
      const { words, segments, text } = transcribe({ task: 'transcribe', seconds, name, seed: 's' })
      for (const line of [words, segments]) {
        expect(line[0]?.start).toBe(0)
        expect(line.at(-1)?.end).toBeCloseTo(seconds, 3)
        for (const [at, { start, end }] of line.entries()) {
          expect(end).toBeGreaterThanOrEqual(start)
          if (at > 0) expect(start).toBe(line[at - 1]?.end)
        }
      }
      expect(segments.map((segment) => segment.text).join(' ')).toBe(text)
      expect(words.map(({ word }) => word).join(' ')).toBe(text)
    }),
    { numRuns: 50 },
  )
})

it('says what it is, and has more words for more time', () => {
  const long = transcribe({ task: 'transcribe', seconds: 60, name: 'a call.wav', seed: 's' })
  expect(long.text).toMatch(/^Sandbox transcript of a-call.wav: /)
  expect(long.words.length).toBeGreaterThan(transcribe({ task: 'transcribe', seconds: 6, name: 'a', seed: 's' }).words.length * 9)
  expect(transcribe({ task: 'transcribe', seconds: 60, name: 'a call.wav', seed: 't' }).text).not.toBe(long.text)
})
