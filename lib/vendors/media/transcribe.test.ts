import { expect, it } from 'vitest'
import { segmentsOf } from './transcribe.ts'

const words = (text: string, each = 0.5) =>
  text.split(' ').map((word, at) => ({ text: word, start: at * each, end: (at + 1) * each }))

it('makes sentences of words', () => {
  expect(segmentsOf(words('Hello there. How are you? Fine'))).toEqual([
    { text: 'Hello there.', start: 0, end: 1 },
    { text: 'How are you?', start: 1, end: 2.5 },
    { text: 'Fine', start: 2.5, end: 3 },
  ])
})

it('leaves out what is only space, and keeps what is a sentence already', () => {
  const whole = { text: ' A whole sentence.', start: 0, end: 2 }
  expect(segmentsOf([whole, { text: ' ', start: 2, end: 2.1 }])).toEqual([{ text: 'A whole sentence.', start: 0, end: 2 }])
  expect(segmentsOf([])).toEqual([])
})

it('cuts what goes on for longer than a subtitle stays', () => {
  const segments = segmentsOf(words(Array.from({ length: 60 }, () => 'word').join(' '), 1))
  expect(segments).toHaveLength(5)
  for (const { start, end } of segments) expect(end - start).toBeLessThanOrEqual(12)
  expect(segments.map(({ text }) => text).join(' ')).toBe(Array.from({ length: 60 }, () => 'word').join(' '))
})
