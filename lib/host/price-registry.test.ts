import { expect, it } from 'vitest'
import { createPriceRegistry } from './price-registry.ts'

const searchRateOf = async (kind: string, model: string, baseUrl: string | null = null) => {
  const { rates } = await createPriceRegistry().find({ kind, baseUrl }, model, new Date('2026-01-01'))
  return rates?.web_search
}

it('has OpenAI’s price of a search of the web for the models that can search, and nowhere else', async () => {
  expect(await searchRateOf('openai', 'gpt-5')).toBe(10_000_000_000_000n)
  expect(await searchRateOf('openai', 'gpt-4o-2024-11-20')).toBe(10_000_000_000_000n)
  expect(await searchRateOf('openai', 'gpt-4.1-nano')).toBeUndefined()
  expect(await searchRateOf('openai', 'text-embedding-3-small')).toBeUndefined()
  expect(await searchRateOf('openai-compatible', 'gpt-5', 'https://example.com/v1')).toBeUndefined()
})
