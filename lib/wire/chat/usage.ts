import { fieldIn } from '../../domain/field-in.ts'
import { formatDecimal } from '../../domain/money.ts'
import { tokensIn, tokensOut, type Usage } from '../../domain/usage.ts'
import { type JsonObject, type JsonValue, jsonNumber } from '../json.ts'
import { tokenCount as count, tokenCounts, totalInput, toUsage } from '../token-count.ts'

/**
 * The usage of an answer or a chunk, wherever its vendor puts it: beside the choices, in Groq's own object, or in the choice, as
 * Moonshot's older models do. Undefined if there is none.
 */
export function usageIn(chunk: JsonObject): JsonValue | undefined {
  if (chunk.usage != null) return chunk.usage
  const own = fieldIn(chunk.x_groq, 'usage') ?? fieldIn(Array.isArray(chunk.choices) ? chunk.choices[0] : null, 'usage')
  return (own as JsonValue | null | undefined) ?? undefined
}

/** The first of two or three values that is a count, otherwise 0. */
const firstCount = (a: unknown, b: unknown, c?: unknown): number => count(a) ?? count(b) ?? count(c) ?? 0

/**
 * Reads the `usage` of a chat answer into units that do not overlap. Null if it is missing or makes no sense (negative,
 * fractional, absurdly large or all zero). Tokens of sound are part of the prompt, and those of images that were made are part of the
 * completion. If the total says so, reasoning is counted on top of the completion, as xAI reports it. Cached tokens and reasoning
 * are read from OpenAI's fields, or from those of DeepSeek, Moonshot, Alibaba, LiteLLM and models at Azure.
 */
export function readChatUsage(raw: unknown): Usage | null {
  const counts = tokenCounts(fieldIn(raw, 'prompt_tokens'), fieldIn(raw, 'completion_tokens'))
  if (counts === null) return null
  const [reportedPrompt, completion] = counts
  const promptDetails = fieldIn(raw, 'prompt_tokens_details')
  const details = fieldIn(raw, 'completion_tokens_details')
  const cached = firstCount(
    fieldIn(promptDetails, 'cached_tokens'),
    fieldIn(raw, 'prompt_cache_hit_tokens'),
    fieldIn(raw, 'cached_tokens'),
  )
  const cacheWrite = firstCount(
    fieldIn(promptDetails, 'cache_write_tokens'),
    fieldIn(promptDetails, 'cache_creation_input_tokens'),
    fieldIn(promptDetails, 'cache_creation_tokens'),
  )
  const reasoning = firstCount(fieldIn(details, 'reasoning_tokens'), fieldIn(raw, 'reasoning_tokens'))
  const total = fieldIn(raw, 'total_tokens')
  // If a prompt is answered several times, SGLang counts the cached tokens for each answer, and the prompt only once.
  const isPromptTotal = total === reportedPrompt + completion || total === reportedPrompt + completion + reasoning
  const prompt = isPromptTotal ? reportedPrompt : totalInput(reportedPrompt, cached)
  const reasoningSeparate =
    reasoning > 0 && (total === reportedPrompt + completion + reasoning || total === prompt + completion + reasoning)
  return toUsage({
    input: prompt,
    cached,
    cacheWrite,
    audio: count(fieldIn(promptDetails, 'audio_tokens')) ?? 0,
    output: reasoningSeparate ? completion + reasoning : completion,
    reasoning,
    images: count(fieldIn(details, 'image_tokens')) ?? 0,
  })
}

/** What a vendor charges the gateway is not passed on. */
const VENDOR_COST = /cost|^is_byok$/i

/** A vendor's usage without its cost at the vendor. */
export const withoutVendorCosts = (raw: JsonObject): JsonObject =>
  Object.keys(raw).some((name) => VENDOR_COST.test(name))
    ? Object.fromEntries(Object.entries(raw).filter(([name]) => !VENDOR_COST.test(name)))
    : raw

/** The `usage` object that a client gets: the vendor's own fields if there are any, and the cost here. */
export function writeChatUsage(usage: Usage, costNano: bigint, raw: JsonObject | null): JsonValue {
  const prompt = Number(tokensIn(usage))
  const completion = Number(tokensOut(usage))
  const images = Number(usage.media?.image_output ?? 0n)
  const searches = Number(usage.media?.web_search ?? 0n)
  return {
    ...(raw === null ? {} : withoutVendorCosts(raw)),
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      ...(raw?.prompt_tokens_details as JsonObject | undefined),
      cached_tokens: Number(usage.cachedInput),
    },
    completion_tokens_details: {
      ...(raw?.completion_tokens_details as JsonObject | undefined),
      reasoning_tokens: Number(usage.reasoning),
      ...(images === 0 ? {} : { image_tokens: images }),
    },
    // As OpenRouter reports them.
    ...(searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } }),
    cost: jsonNumber(formatDecimal(costNano)),
  }
}
