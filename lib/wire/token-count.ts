import type { Usage } from '../domain/usage.ts'

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

/** Tokens as vendors report them: those of `input` include the cached, written and audio ones, those of `output` reasoning and images. */
export interface ReportedTokens {
  input: number
  cached: number
  cacheWrite: number
  audio?: number
  output: number
  reasoning: number
  images: number
}

/** The same in units that do not overlap. What is more than is left of its whole is not believed. */
export function toUsage({ input, output, ...parts }: ReportedTokens): Usage {
  const cached = Math.min(parts.cached, input)
  const cacheWrite = Math.min(parts.cacheWrite, input - cached)
  // Vendors do not say which of them were cached. Sound costs more, so it is taken as not cached.
  const audio = Math.min(parts.audio ?? 0, input - cached - cacheWrite)
  const reasoning = Math.min(parts.reasoning, output)
  const images = Math.min(parts.images, output - reasoning)
  const media = {
    ...(audio === 0 ? {} : { audio_input: BigInt(audio) }),
    ...(images === 0 ? {} : { image_output: BigInt(images) }),
  }
  return {
    input: BigInt(input - cached - cacheWrite - audio),
    cachedInput: BigInt(cached),
    cacheWrite: BigInt(cacheWrite),
    output: BigInt(output - images),
    reasoning: BigInt(reasoning),
    requests: 1n,
    ...(audio + images === 0 ? {} : { media }),
  }
}
