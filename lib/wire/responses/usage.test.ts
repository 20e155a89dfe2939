import { expect, it } from 'vitest'
import { readResponsesUsage } from './usage.ts'

it.each([
  ['a part of the input', { input_tokens: 100, cached: 64 }, { input: 36n, cachedInput: 64n }],
  // As some of xAI's models report it.
  ['beside it where they are more', { input_tokens: 4142, cached: 4328 }, { input: 4142n, cachedInput: 4328n }],
])('cached tokens are %s', (_, { input_tokens, cached }, expected) => {
  const raw = { input_tokens, output_tokens: 5, input_tokens_details: { cached_tokens: cached } }
  expect(readResponsesUsage(raw)).toMatchObject({ ...expected, cacheWrite: 0n, output: 5n })
})
