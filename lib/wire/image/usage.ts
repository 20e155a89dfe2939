import { fieldIn } from '../../domain/field-in.ts'
import { formatDecimal } from '../../domain/money.ts'
import type { Rates } from '../../domain/price.ts'
import { NO_USAGE, tokensIn, tokensOut, type Usage } from '../../domain/usage.ts'
import { type JsonObject, type JsonValue, jsonNumber } from '../json.ts'
import { tokenCount as count, tokenCounts } from '../token-count.ts'

/**
 * Reads the `usage` of an image answer that is billed in tokens. Null if it is missing or makes no sense. Tokens without details
 * are text if they are input, and images if they are output. Text output is billed like images if the price has no rate for it.
 */
export function readImageUsage(raw: unknown, rates: Rates): Usage | null {
  const counts = tokenCounts(fieldIn(raw, 'input_tokens'), fieldIn(raw, 'output_tokens'))
  if (counts === null) return null
  const [input, output] = counts
  const imageInput = Math.min(count(fieldIn(fieldIn(raw, 'input_tokens_details'), 'image_tokens')) ?? 0, input)
  const reportedText =
    rates.output === undefined ? 0 : (count(fieldIn(fieldIn(raw, 'output_tokens_details'), 'text_tokens')) ?? 0)
  const textOutput = Math.min(reportedText, output)
  return {
    ...NO_USAGE,
    input: BigInt(input - imageInput),
    output: BigInt(textOutput),
    requests: 1n,
    media: { image_input: BigInt(imageInput), image_output: BigInt(output - textOutput) },
  }
}

/** Counts that make no sense, and those that were not billed although others were, are not shown. */
function hasValidCounts(raw: unknown, billedInput: number, billedOutput: number): raw is JsonObject {
  const counts = tokenCounts(fieldIn(raw, 'input_tokens'), fieldIn(raw, 'output_tokens'))
  if (counts === null) return false
  return billedInput + billedOutput === 0 || (counts[0] === billedInput && counts[1] === billedOutput)
}

/** The `usage` object that a client gets: the vendor's own fields if there are any, and the cost. */
export function writeImageUsage(usage: Usage, images: number, costNano: bigint, raw: unknown): JsonValue {
  const [input, output] = [Number(tokensIn(usage)), Number(tokensOut(usage))]
  const imageInput = Number(usage.media?.image_input ?? 0n)
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { text_tokens: input - imageInput, image_tokens: imageInput },
    ...(hasValidCounts(raw, input, output) ? raw : {}),
    images,
    cost: jsonNumber(formatDecimal(costNano)),
  }
}
