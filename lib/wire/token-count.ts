const MOST = 1_000_000_000

/** A count that a vendor reports; null where it is missing or makes no sense (negative, fractional, absurdly large). */
export const tokenCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST ? value : null

/** What went in and what came out, as a vendor counts it; null where one of the two is no count, or both are nothing. */
export function tokenCounts(input: unknown, output: unknown): [input: number, output: number] | null {
  const [wentIn, cameOut] = [tokenCount(input), tokenCount(output)]
  return wentIn === null || cameOut === null || wentIn + cameOut === 0 ? null : [wentIn, cameOut]
}

/**
 * All that went in, of which `cached` tokens came from a cache. Where they are more than what is called all, they stand beside it: a
 * few of xAI's models tell them so (vercel/ai, pull request 12485).
 */
export const withCached = (input: number, cached: number): number => (cached > input ? input + cached : input)
