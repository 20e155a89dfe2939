import { formatDecimal, minBigInt } from '../../domain/money.ts'
import type { Rates } from '../../domain/price.ts'
import { mediaUsage, NO_USAGE, tokensIn, tokensOut, type Usage } from '../../domain/usage.ts'
import { type JsonObject, type JsonValue, jsonNumber } from '../json.ts'
import { tokenCount, tokenCounts } from '../token-count.ts'

/** The tokens of a second of sound as OpenAI's models count them, and the most that any model is known to count. */
const TOKENS_A_SECOND = 10
const MAX_TOKENS_PER_SECOND = 25
/** The additional tokens that a very short sound may have. */
const MAX_REST_TOKENS = 500
/** Files give their length in frames of some milliseconds, so less than this does not begin another second. */
const SLACK_SECONDS = 0.001

/** The number of seconds that began, at least one. */
export const billedSeconds = (seconds: number): bigint => BigInt(Math.max(1, Math.ceil(seconds - SLACK_SECONDS)))

/** What is billed whatever the vendor reports: seconds, or the request; null if the price is per token. */
export function knownTranscriptionUsage(rates: Rates, seconds: number): Usage | null {
  if (rates.audio_second !== undefined) return mediaUsage({ audio_second: billedSeconds(seconds) })
  return rates.input === undefined && rates.audio_input === undefined && rates.request !== undefined ? mediaUsage({}) : null
}

const tokens = (input: bigint, audio: bigint, output: bigint): Usage => ({
  ...NO_USAGE,
  input,
  output,
  requests: 1n,
  media: { audio_input: audio },
})

/** The most tokens that a sound can have as input and output, with this much text beside it. */
export function mostTranscriptionTokens(seconds: number, textTokens: number): Usage {
  const most = BigInt(Math.ceil(seconds * MAX_TOKENS_PER_SECOND) + MAX_REST_TOKENS)
  return tokens(BigInt(textTokens), most, most)
}

/** The estimated tokens of a sound, with those that were counted in the texts. Never above the bound. */
export const likelyTranscriptionTokens = (seconds: number, textTokens: number, output: number, most: Usage): Usage =>
  tokens(
    minBigInt(BigInt(textTokens), most.input),
    BigInt(Math.ceil(seconds * TOKENS_A_SECOND)),
    minBigInt(BigInt(output), most.output),
  )

/**
 * Reads the `usage` of a transcription in tokens; null if it is something else or makes no sense. If the input has no details, it
 * is sound up to the most that can be (`most`), and text beyond that.
 */
export function readTranscriptionUsage(raw: unknown, most: Usage): Usage | null {
  const usage = (raw ?? {}) as JsonObject
  const counts = tokenCounts(usage.input_tokens, usage.output_tokens)
  if (counts === null) return null
  const [input, output] = counts
  const details = (usage.input_token_details ?? {}) as JsonObject
  const told = tokenCount(details.text_tokens)
  const sound = told === null ? minBigInt(BigInt(input), most.media?.audio_input ?? 0n) : BigInt(Math.max(input - told, 0))
  return tokens(BigInt(input) - sound, sound, BigInt(output))
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
  const { seconds, ...told } = writeTranscriptionUsage(usage, costNano)
  return seconds === undefined ? told : { ...tokensOf(NO_USAGE), seconds, cost: told.cost as JsonValue }
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
