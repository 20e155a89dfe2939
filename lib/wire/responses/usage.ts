import { fieldIn } from '../../domain/field-in.ts'
import { formatDecimal } from '../../domain/money.ts'
import { tokensIn, tokensOut, type Usage } from '../../domain/usage.ts'
import { type JsonObject, jsonNumber } from '../json.ts'
import { tokenCount as count, tokenCounts, totalInput, toUsage } from '../token-count.ts'

/**
 * Reads the `usage` of a response into units that do not overlap. Null if it is missing or makes no sense, zero included, because
 * something was used.
 */
export function readResponsesUsage(raw: unknown): Usage | null {
  const counts = tokenCounts(fieldIn(raw, 'input_tokens'), fieldIn(raw, 'output_tokens'))
  if (counts === null) return null
  const [reportedInput, output] = counts
  const details = fieldIn(raw, 'input_tokens_details')
  const cached = count(fieldIn(details, 'cached_tokens')) ?? 0
  const outputDetails = fieldIn(raw, 'output_tokens_details')
  return toUsage({
    input: totalInput(reportedInput, cached),
    cached,
    cacheWrite: count(fieldIn(details, 'cache_write_tokens')) ?? 0,
    output,
    reasoning: count(fieldIn(outputDetails, 'reasoning_tokens')) ?? 0,
    images: count(fieldIn(outputDetails, 'image_tokens')) ?? 0,
  })
}

/** The `usage` of a response with its cost, or without a cost if the response is being stored. */
export function writeResponsesUsage(usage: Usage, costNano: bigint | null): JsonObject {
  const input = Number(tokensIn(usage))
  const output = Number(tokensOut(usage))
  const images = Number(usage.media?.image_output ?? 0n)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: Number(usage.cachedInput), cache_write_tokens: Number(usage.cacheWrite) },
    output_tokens: output,
    output_tokens_details: {
      reasoning_tokens: Number(usage.reasoning),
      ...(images === 0 ? {} : { image_tokens: images }),
    },
    total_tokens: input + output,
    ...(costNano === null ? {} : { cost: jsonNumber(formatDecimal(costNano)) }),
  }
}
