import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import { addUsage, type Usage } from '../domain/usage.ts'
import { tokenCount as count, tokenCounts } from './token-count.ts'

/**
 * What a choice used, as units that do not overlap. Null where its vendor did not say, or not in numbers that make
 * sense, or nothing. Vendors count reasoning inside the output here: the provider packages see to that.
 */
export function readLanguageUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | null {
  const counts = tokenCounts(inputTokens.total, outputTokens.total)
  if (counts === null) return null
  const [total, output] = counts
  const cachedInput = Math.min(count(inputTokens.cacheRead) ?? 0, total)
  const cacheWrite = Math.min(count(inputTokens.cacheWrite) ?? 0, total - cachedInput)
  return {
    input: BigInt(total - cachedInput - cacheWrite),
    cachedInput: BigInt(cachedInput),
    cacheWrite: BigInt(cacheWrite),
    output: BigInt(output),
    reasoning: BigInt(Math.min(count(outputTokens.reasoning) ?? 0, output)),
    requests: 1n,
  }
}

/** The usage of several choices that were asked for at once; null where one of them is not known. */
export function sumUsage(usages: readonly (Usage | null)[]): Usage | null {
  if (usages.length === 0) return null
  return usages.reduce((sum, usage) => (sum === null || usage === null ? null : addUsage(sum, usage)))
}

/** The context is full: the answer is cut off, though not every provider package says so. */
const CUT_OFF = 'model_context_window_exceeded'

/** OpenAI's word for why a model stopped; null where it did not come to an end. */
export function finishReasonOf({ unified, raw }: LanguageModelV4FinishReason): string | null {
  if (raw === CUT_OFF) return 'length'
  switch (unified) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'tool-calls':
      return 'tool_calls'
    case 'interrupted':
      return null
    // A vendor's own reasons, such as a call that it could not write: the answer is what there is, where there is any.
    default:
      return 'stop'
  }
}

/** Google's words for a call or an answer that its model could not write; its package knows the first of them. */
const FAILED = /^(MALFORMED_|UNEXPECTED_TOOL_CALL)/

/** Whether a model stopped because it failed: where it has said nothing, that is no answer. */
export const hasFailed = ({ unified, raw }: LanguageModelV4FinishReason): boolean =>
  unified === 'error' || (unified === 'other' && FAILED.test(raw ?? ''))
