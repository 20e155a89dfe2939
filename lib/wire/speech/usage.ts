import { formatDecimal } from '../../domain/money.ts'
import { NO_USAGE, tokensIn, tokensOut, type Usage } from '../../domain/usage.ts'
import { type JsonObject, type JsonValue, jsonNumber } from '../json.ts'
import { tokenCounts } from '../token-count.ts'

/** How fast people speak, and how many tokens a second of speech is (OpenAI, its audio tokens at its price by the minute). */
const CHARACTERS_A_SECOND = 15
const TOKENS_A_SECOND = 21
/** The slowest that a character is spoken, in tokens: a digit of a long number, many times over. */
const MOST_TOKENS_A_CHARACTER = 16
/** Silence before and after. */
const MOST_REST_TOKENS = 1000

/** A text that is spoken: how long it is, and how fast it goes. */
export interface Spoken {
  characters: number
  speed: number
}

/** The most audio tokens that a text can become. */
export const mostSpeechTokens = ({ characters, speed }: Spoken): number =>
  Math.ceil((characters * MOST_TOKENS_A_CHARACTER) / Math.min(1, speed)) + MOST_REST_TOKENS

/** About how many audio tokens a text becomes. */
export const likelySpeechTokens = ({ characters, speed }: Spoken): number =>
  Math.ceil((characters / CHARACTERS_A_SECOND / speed) * TOKENS_A_SECOND)

/** Text that went in, and sound that came out. */
export const speechTokens = (input: bigint, audioOutput: bigint): Usage => ({
  ...NO_USAGE,
  input,
  requests: 1n,
  media: { audio_output: audioOutput },
})

/** Reads the `usage` of a `speech.audio.done` event; null where it is missing or makes no sense. */
export function readSpeechUsage(raw: unknown): Usage | null {
  const { input_tokens, output_tokens } = (raw ?? {}) as JsonObject
  const counts = tokenCounts(input_tokens, output_tokens)
  return counts && speechTokens(BigInt(counts[0]), BigInt(counts[1]))
}

/** The `usage` object that a client gets: the vendor's own fields where there are any, what was billed, and what it cost. */
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
