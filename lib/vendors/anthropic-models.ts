import { dollars, type KnownModel } from './known-model.ts'

/** All of them can think, and show at most a summary. What is seen does not tell how much is billed. */
const CAPABILITIES = ['tools', 'vision', 'files', 'json', 'hidden-reasoning']

function entry(
  name: string,
  [contextWindow, maxOutput, imageTokens]: [number, number, number],
  [input, cached, written, output]: [number, number, number, number],
): KnownModel {
  return {
    name,
    contextWindow,
    maxOutput,
    imageTokens,
    capabilities: CAPABILITIES,
    rates: { input: dollars(input), cached_input: dollars(cached), cache_write: dollars(written), output: dollars(output) },
    fees: { web_search: dollars(10_000) },
  }
}

/** Since Opus 4.7, images keep up to 2,576 pixels on their longer side and cost up to three times as much. */
const NEW = [1_000_000, 128_000, 4800] as [number, number, number]

/**
 * Claude models with their list prices (input, cache read, cache write for five minutes, output, in dollars per
 * million tokens) and limits, as on Anthropic's model pages in November 2026. A later change is a new price version
 * in the catalog. Models with tiered prices are left out, because prices here have no tiers.
 */
export const ANTHROPIC_MODELS: readonly KnownModel[] = [
  entry('claude-opus-5-5', NEW, [4, 0.2, 5, 20]),
  entry('claude-opus-5', NEW, [5, 0.5, 6.25, 25]),
  entry('claude-sonnet-5-5', NEW, [2, 0.2, 2.5, 10]),
  entry('claude-sonnet-5', NEW, [2, 0.2, 2.5, 10]),
  entry('claude-opus-4-5', [200_000, 64_000, 1600], [5, 0.5, 6.25, 25]),
  entry('claude-sonnet-4-5', [200_000, 64_000, 1600], [3, 0.3, 3.75, 15]),
  entry('claude-haiku-4-5', [200_000, 64_000, 1600], [1, 0.1, 1.25, 5]),
]
