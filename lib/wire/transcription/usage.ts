import { formatDecimal, minBigInt } from '../../domain/money.ts'
import type { Rates } from '../../domain/price.ts'
import { mediaUsage, NO_USAGE, tokensIn, tokensOut, type Usage } from '../../domain/usage.ts'
import { type JsonObject, type JsonValue, jsonNumber } from '../json.ts'
import { tokenCount, tokenCounts } from '../token-count.ts'

/** The tokens of a second of sound as OpenAI's models count them, and the most that any model is known to count. */
const TOKENS_PER_SECOND = 10
const MAX_TOKENS_PER_SECOND = 25
/** The additional tokens that a very short sound may have. */
const MAX_REST_TOKENS = 500
/** Files give their length in frames of some milliseconds, so less than this does not begin another second. */
const ROUNDING_SECONDS = 0.001

/** The number of seconds that began, at least one. */
export const billedSeconds = (seconds: number): bigint => BigInt(Math.max(1, Math.ceil(seconds - ROUNDING_SECONDS)))

/** What is billed whatever the vendor reports: seconds, or the request; null if the price is per token. */
export function knownTranscriptionUsage(rates: Rates, seconds: number): Usage | null {
  if (rates.audio_second !== undefined) return mediaUsage({ audio_second: billedSeconds(seconds) })
  return rates.input === undefined && rates.audio_input === undefined && rates.request !== undefined ? mediaUsage({}) : null
}

const tokenUsage = (input: bigint, audio: bigint, output: bigint): Usage => ({
  ...NO_USAGE,
  input,
  output,
  requests: 1n,
  media: { audio_input: audio },
})

/** The most tokens that a sound can have as input and output, with this much text beside it. */
export function maxTranscriptionUsage(seconds: number, textTokens: number): Usage {
  const maxTokens = BigInt(Math.ceil(seconds * MAX_TOKENS_PER_SECOND) + MAX_REST_TOKENS)
  return tokenUsage(BigInt(textTokens), maxTokens, maxTokens)
}

/** The estimated tokens of a sound, with those that were counted in the texts. Never above the bound. */
export const estimateTranscriptionUsage = (seconds: number, textTokens: number, output: number, maxUsage: Usage): Usage =>
  tokenUsage(
    minBigInt(BigInt(textTokens), maxUsage.input),
    BigInt(Math.ceil(seconds * TOKENS_PER_SECOND)),
    minBigInt(BigInt(output), maxUsage.output),
  )

/**
 * Reads the `usage` of a transcription in tokens; null if it is something else or makes no sense. If the input has no details, it
 * is sound up to the most that can be (`maxUsage`), and text beyond that.
 */
export function readTranscriptionUsage(raw: unknown, maxUsage: Usage): Usage | null {
  const usage = (raw ?? {}) as JsonObject
  const counts = tokenCounts(usage.input_tokens, usage.output_tokens)
  if (counts === null) return null
  const [input, output] = counts
  const details = (usage.input_token_details ?? {}) as JsonObject
  const reportedText = tokenCount(details.text_tokens)
  const audioTokens =
    reportedText === null
      ? minBigInt(BigInt(input), maxUsage.media?.audio_input ?? 0n)
      : BigInt(Math.max(input - reportedText, 0))
  return tokenUsage(BigInt(input) - audioTokens, audioTokens, BigInt(output))
}

/** The `usage` object that a client gets, in the unit that was billed, with the cost. */
export function writeTranscriptionUsage(usage: Usage, costNano: bigint): JsonObject {
  const cost = jsonNumber(formatDecimal(costNano))
  const { audio_second } = usage.media ?? {}
  return audio_second === undefined ? { ...tokensOf(usage), cost } : { type: 'duration', seconds: Number(audio_second), cost }
}

/**
 * The same at the end of a stream. OpenAI's clients know only tokens there, because none of OpenAI's models that are billed by
 * the second streams. So the token counts are 0, and the seconds are beside them.
 */
export function writeStreamedUsage(usage: Usage, costNano: bigint): JsonObject {
  const { seconds, ...usageFields } = writeTranscriptionUsage(usage, costNano)
  return seconds === undefined ? usageFields : { ...tokensOf(NO_USAGE), seconds, cost: usageFields.cost as JsonValue }
}

function tokensOf(usage: Usage): JsonObject {
  const [input, output] = [tokensIn(usage), tokensOut(usage)]
  return {
    type: 'tokens',
    input_tokens: Number(input),
    input_token_details: { text_tokens: Number(usage.input), audio_tokens: Number(usage.media?.audio_input ?? 0n) },
    output_tokens: Number(output),
    total_tokens: Number(input + output),
  }
}
