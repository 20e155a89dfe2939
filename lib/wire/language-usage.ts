import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import { fieldIn } from '../domain/field-in.ts'
import { addUsage, type Usage } from '../domain/usage.ts'
import { tokenCount as count, tokenCounts, toUsage } from './token-count.ts'

/**
 * What a choice used, in units that do not overlap. Null if its vendor reported no usage, zero usage, or numbers that make no
 * sense. The output includes reasoning here: the provider packages ensure that. Of images that a model made, only Google reports tokens.
 */
export function readLanguageUsage({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Usage | null {
  const counts = tokenCounts(inputTokens.total, outputTokens.total)
  if (counts === null) return null
  const [input, output] = counts
  return toUsage({
    input,
    cached: count(inputTokens.cacheRead) ?? 0,
    cacheWrite: count(inputTokens.cacheWrite) ?? 0,
    output,
    reasoning: count(outputTokens.reasoning) ?? 0,
    images: googleImageTokens(raw),
  })
}

/** The tokens of images in the output, in Google's own usage (API reference, `UsageMetadata`). */
function googleImageTokens(raw: unknown): number {
  const details = fieldIn(raw, 'candidatesTokensDetails')
  if (!Array.isArray(details)) return 0
  const images = details.filter((detail) => fieldIn(detail, 'modality') === 'IMAGE')
  return images.reduce((sum: number, detail) => sum + (count(fieldIn(detail, 'tokenCount')) ?? 0), 0)
}

/** The usage of several choices that were requested at once; null if one of them is unknown. */
export function sumUsage(usages: readonly (Usage | null)[]): Usage | null {
  if (usages.length === 0) return null
  return usages.reduce((sum, usage) => (sum === null || usage === null ? null : addUsage(sum, usage)))
}

/**
 * The context is full, or the model has searched as often as it may in one answer, so the answer is cut off, although not every provider
 * package says so.
 */
const CUT_OFF = new Set(['model_context_window_exceeded', 'pause_turn'])
/** Google's filters of images, which its package does not know. */
const FILTERED = /^IMAGE_(PROHIBITED_CONTENT|SAFETY|RECITATION)$/

/** OpenAI's word for why a model stopped; null if the answer did not end. */
export function finishReasonOf({ unified, raw }: LanguageModelV4FinishReason): string | null {
  if (CUT_OFF.has(raw ?? '')) return 'length'
  if (FILTERED.test(raw ?? '')) return 'content_filter'
  switch (unified) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'tool-calls':
      return 'tool_calls'
    case 'interrupted':
      return null
    // A vendor's own reasons, such as a call that it could not write. The answer is what was generated before, if anything.
    default:
      return 'stop'
  }
}

/** Google's reasons for a call that its model could not write (API reference, `FinishReason`): a request brings them about. */
const REQUEST_FAILED = /^(MALFORMED_|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE)/
/** Google's and Cohere's reasons for an answer that failed in another way. */
const FAILED = /^(OTHER|TIMEOUT)$/

/**
 * Whether a model stopped because it failed, or did not say why, as Google does without any candidate. If it generated nothing,
 * that is not an answer.
 */
export const hasFailed = ({ unified, raw = '' }: LanguageModelV4FinishReason): boolean =>
  unified === 'error' || (unified === 'other' && (raw === '' || REQUEST_FAILED.test(raw) || FAILED.test(raw)))

/** Whether what failed was this request, and not its vendor. */
export const hasRequestFailed = (reason: LanguageModelV4FinishReason): boolean =>
  hasFailed(reason) && REQUEST_FAILED.test(reason.raw ?? '')
