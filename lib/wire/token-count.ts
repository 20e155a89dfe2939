const MAX_TOKEN_COUNT = 1_000_000_000

/** A count that a vendor reports; null if it is missing or makes no sense (negative, fractional or absurdly large). */
export const tokenCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKEN_COUNT ? value : null

/** The input and output tokens that a vendor reports; null if one of them is not a count, or both are zero. */
export function tokenCounts(input: unknown, output: unknown): [input: number, output: number] | null {
  const [inputCount, outputCount] = [tokenCount(input), tokenCount(output)]
  return inputCount === null || outputCount === null || inputCount + outputCount === 0 ? null : [inputCount, outputCount]
}

/**
 * All input tokens, of which `cached` came from a cache. If there are more of those than of all tokens, they are counted
 * separately: some of xAI's models report them that way (vercel/ai, pull request 12485).
 */
export const totalInput = (input: number, cached: number): number => (cached > input ? input + cached : input)
