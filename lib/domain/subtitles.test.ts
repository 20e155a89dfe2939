import { describe, expect, test } from 'vitest'
import { writeSrt, writeVtt } from './subtitles.ts'

const CUES = [
  { start: 0, end: 1.5, text: ' Hello there. ' },
  { start: 3723.0456, end: 3725, text: 'Fish & <b>chips</b>\r\n\r\nfor two --> please' },
]

describe('subtitles', () => {
  test('in SubRip', () => {
    expect(writeSrt(CUES)).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n2\n01:02:03,046 --> 01:02:05,000\nFish & <b>chips</b>\nfor two -> please\n\n',
    )
  })

  test('in WebVTT', () => {
    expect(writeVtt(CUES)).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello there.\n\n01:02:03.046 --> 01:02:05.000\nFish &amp; &lt;b&gt;chips&lt;/b&gt;\nfor two -&gt; please\n\n',
    )
  })

  test('of nothing that was said', () => {
    const silent = [{ start: 0, end: 1, text: ' \n ' }]
    expect([writeSrt([]), writeSrt(silent), writeVtt(silent)]).toEqual(['', '', 'WEBVTT\n\n'])
  })

  test.each([
    [-1, 2, '00:00:00,000 --> 00:00:02,000'],
    [5, 2, '00:00:05,000 --> 00:00:05,000'],
    [5, 1e300, '00:00:05,000 --> 999:59:59,999'],
    [Number.NaN, 2, '00:00:00,000 --> 00:00:00,000'],
    [0.9996, 59.9999, '00:00:01,000 --> 00:01:00,000'],
    [360_000, 360_001, '100:00:00,000 --> 100:00:01,000'],
  ])('from %d to %d', (start, end, line) => {
    expect(writeSrt([{ start, end, text: 'x' }])).toBe(`1\n${line}\nx\n\n`)
  })
})
