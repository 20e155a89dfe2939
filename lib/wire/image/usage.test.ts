import { expect, test } from 'vitest'
import { NO_USAGE } from '../../domain/usage.ts'
import { writeImageUsage } from './usage.ts'

const USED = { ...NO_USAGE, input: 3n, requests: 1n, media: { image_input: 2n, image_output: 100n } }
const OWN = {
  input_tokens: 5,
  output_tokens: 100,
  total_tokens: 105,
  input_tokens_details: { text_tokens: 3, image_tokens: 2 },
  images: 1,
  cost: 0.000000001,
}

const shown = (raw: unknown): unknown => JSON.parse(JSON.stringify(writeImageUsage(USED, 1, 1n, raw)))

test.each([{ input_tokens: -5, output_tokens: 1e300, more: 1 }, { output_tokens: 5 }, [1, 2], 'lots', null])(
  'of the usage %j nothing is shown',
  (raw) => {
    expect(shown(raw)).toEqual(OWN)
  },
)

test('fields of a usage that makes sense pass', () => {
  expect(shown({ input_tokens: 5, output_tokens: 100, more: 1 })).toEqual({ ...OWN, more: 1 })
})
