import { formatDecimal } from '../../domain/money.ts'
import { NO_USAGE, tokensIn, tokensOut, type Usage } from '../../domain/usage.ts'
import { type JsonObject, type JsonValue, jsonNumber } from '../json.ts'
import { tokenCounts } from '../token-count.ts'

/**
 * How fast people speak, and how many tokens a second of speech has (derived from OpenAI's audio tokens and its price per
 * minute).
 */
const CHARACTERS_PER_SECOND = 15
const TOKENS_PER_SECOND = 21
/** The most tokens that a character takes: a digit of a long number, many times over. */
const MAX_TOKENS_PER_CHARACTER = 16
/** The silence before and after the text. */
const MAX_REST_TOKENS = 1000

/** A text that is spoken: its length and its speed. */
export interface SpokenText {
  characters: number
  speed: number
}

/** The most audio tokens that a text can become. */
export const maxSpeechTokens = ({ characters, speed }: SpokenText): number =>
  Math.ceil((characters * MAX_TOKENS_PER_CHARACTER) / Math.min(1, speed)) + MAX_REST_TOKENS

/** The estimated number of audio tokens that a text becomes. */
export const estimateSpeechTokens = ({ characters, speed }: SpokenText): number =>
  Math.ceil((characters / CHARACTERS_PER_SECOND / speed) * TOKENS_PER_SECOND)

/** The usage of input text and output sound. */
export const speechUsage = (input: bigint, audioOutput: bigint): Usage => ({
  ...NO_USAGE,
  input,
  requests: 1n,
  media: { audio_output: audioOutput },
})

/** Reads the `usage` of a `speech.audio.done` event; null if it is missing or makes no sense. */
export function readSpeechUsage(raw: unknown): Usage | null {
  const { input_tokens, output_tokens } = (raw ?? {}) as JsonObject
  const counts = tokenCounts(input_tokens, output_tokens)
  return counts && speechUsage(BigInt(counts[0]), BigInt(counts[1]))
}

/** The `usage` object that a client gets: the vendor's own fields if there are any, what was billed, and the cost. */
export function writeSpeechUsage(usage: Usage, costNano: bigint, raw: JsonObject | null): JsonValue {
  const { character } = usage.media ?? {}
  return {
    ...raw,
    input_tokens: Number(tokensIn(usage)),
    output_tokens: Number(tokensOut(usage)),
    total_tokens: Number(tokensIn(usage) + tokensOut(usage)),
    ...(character === undefined ? {} : { characters: Number(character) }),
    cost: jsonNumber(formatDecimal(costNano)),
  }
}
