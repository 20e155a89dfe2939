import { expect, it } from 'vitest'
import { readResponsesUsage, writeResponsesUsage } from './usage.ts'

it.each([
  ['a part of the input', { input_tokens: 100, cached: 64 }, { input: 36n, cachedInput: 64n }],
  // As some of xAI's models report it.
  ['beside it where they are more', { input_tokens: 4142, cached: 4328 }, { input: 4142n, cachedInput: 4328n }],
])('cached tokens are %s', (_, { input_tokens, cached }, expected) => {
  const raw = { input_tokens, output_tokens: 5, input_tokens_details: { cached_tokens: cached } }
  expect(readResponsesUsage(raw)).toMatchObject({ ...expected, cacheWrite: 0n, output: 5n })
})

it('the tokens of images are taken apart from the output, and written back as part of it', () => {
  const raw = { input_tokens: 10, output_tokens: 1500, output_tokens_details: { reasoning_tokens: 100, image_tokens: 1290 } }
  const usage = readResponsesUsage(raw)
  expect(usage).toMatchObject({ output: 210n, reasoning: 100n, media: { image_output: 1290n } })
  expect(usage && writeResponsesUsage(usage, null)).toMatchObject({ ...raw, total_tokens: 1510 })
})
