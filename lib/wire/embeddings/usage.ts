import { formatDecimal } from '../../domain/money.ts'
import { NO_USAGE, tokensIn, type Usage } from '../../domain/usage.ts'
import { type JsonObject, type JsonValue, jsonNumber } from '../json.ts'
import { tokenCount as count } from '../token-count.ts'

/**
 * Reads the `usage` of an answer that has no output. Some vendors report only the total. Null if neither number makes sense, zero
 * included, because something was read.
 */
export function readEmbeddingsUsage(raw: unknown): Usage | null {
  if (typeof raw !== 'object' || raw === null) return null
  const { prompt_tokens, total_tokens } = raw as JsonObject
  const tokens = count(prompt_tokens) ?? count(total_tokens)
  return !tokens ? null : { ...NO_USAGE, input: BigInt(tokens), requests: 1n }
}

/** The `usage` object that a client gets: the vendor's own fields if there are any, and the cost. */
export function writeEmbeddingsUsage(usage: Usage, costNano: bigint, raw: JsonObject | null): JsonValue {
  const tokens = Number(tokensIn(usage))
  return { ...raw, prompt_tokens: tokens, total_tokens: tokens, cost: jsonNumber(formatDecimal(costNano)) }
}
