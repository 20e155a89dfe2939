import { dollars, type KnownModel } from './known-model.ts'

/** All of them think, and show at most a summary. What is seen does not tell how much is billed. */
const CAPABILITIES = ['tools', 'vision', 'files', 'json', 'hidden-reasoning']

function entry(
  name: string,
  contextWindow: number,
  [input, cached, output]: [number, number, number],
  more: { imageTokens: number; capabilities?: string[] },
): KnownModel {
  return {
    name,
    contextWindow,
    maxOutput: 65_536,
    imageTokens: more.imageTokens,
    capabilities: [...CAPABILITIES, ...(more.capabilities ?? [])],
    rates: { input: dollars(input), cached_input: dollars(cached), output: dollars(output) },
    // Of a search, or of a request that leads to any.
    fees: { web_search: dollars(name.startsWith('gemini-2.') ? 35_000 : 14_000) },
  }
}

const MILLION = 1_048_576
/** With these models, a longer prompt costs more per token. Prices here have no tiers, so the context window ends there. */
const FIRST_STEP = 200_000

/** Up to sixteen tiles of 258 tokens, and one more for the whole image. */
const TILED = { imageTokens: 4400 }
/** Media resolution "high", with a reserve (Google, "Media resolution"). */
const FIXED = { imageTokens: 2300 }

/**
 * Gemini models with their list prices (input, cached input, output, in dollars per million tokens), as on Google's
 * price page in October 2026. A later change is a new price version in the catalog. Models whose price is a limited
 * offer are left out.
 */
export const GOOGLE_MODELS: readonly KnownModel[] = [
  entry('gemini-3.5-flash', MILLION, [1.5, 0.15, 9], { ...FIXED, capabilities: ['audio'] }),
  entry('gemini-3.5-flash-lite', MILLION, [0.3, 0.03, 2.5], { ...FIXED, capabilities: ['audio'] }),
  entry('gemini-3.1-pro-preview', FIRST_STEP, [2, 0.2, 12], { ...FIXED, capabilities: ['audio'] }),
  entry('gemini-3-flash-preview', MILLION, [0.5, 0.05, 3], FIXED),
  entry('gemini-2.5-pro', FIRST_STEP, [1.25, 0.125, 10], { ...TILED, capabilities: ['audio'] }),
  entry('gemini-2.5-flash', MILLION, [0.3, 0.03, 2.5], TILED),
  entry('gemini-2.5-flash-lite', MILLION, [0.1, 0.01, 0.4], TILED),
]
