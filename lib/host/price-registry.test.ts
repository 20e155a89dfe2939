import { expect, it } from 'vitest'
import { createPriceRegistry } from './price-registry.ts'

const searchRateOf = async (kind: string, model: string, baseUrl: string | null = null) => {
  const { rates } = await createPriceRegistry().find({ kind, baseUrl }, model, new Date('2026-01-01'))
  return rates?.web_search
}

it('has the makers’ prices of a search of the web for the models that can search, and nowhere else', async () => {
  expect(await searchRateOf('openai', 'gpt-5')).toBe(10_000_000_000_000n)
  expect(await searchRateOf('openai', 'gpt-4o-2024-11-20')).toBe(10_000_000_000_000n)
  expect(await searchRateOf('anthropic', 'claude-sonnet-5')).toBe(10_000_000_000_000n)
  expect(await searchRateOf('google', 'gemini-3.5-flash')).toBe(14_000_000_000_000n)
  // Of a request, however often it searches.
  expect(await searchRateOf('google', 'gemini-2.5-pro')).toBe(35_000_000_000_000n)
  expect(await searchRateOf('openai', 'gpt-4.1-nano')).toBeUndefined()
  expect(await searchRateOf('openai', 'text-embedding-3-small')).toBeUndefined()
  expect(await searchRateOf('openai-compatible', 'gpt-5', 'https://example.com/v1')).toBeUndefined()
})

it('has what OpenAI bills for each request to a model that always searches', async () => {
  const ratesOf = async (kind: string, model: string) =>
    (await createPriceRegistry().find({ kind, baseUrl: null }, model, new Date('2026-01-01'))).rates
  expect(await ratesOf('openai', 'gpt-4o-search-preview-2025-03-11')).toMatchObject({
    input: 2_500_000_000n,
    request: 25_000_000_000_000n,
  })
  expect(await ratesOf('openai', 'gpt-4o-search-preview')).not.toHaveProperty('web_search')
  expect(await ratesOf('openai', 'gpt-5')).not.toHaveProperty('request')
})
