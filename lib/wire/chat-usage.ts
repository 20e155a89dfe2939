import { formatDecimal } from '../domain/money.ts'
import type { Usage } from '../domain/usage.ts'
import { type JsonObject, type JsonValue, jsonNumber } from './json.ts'

const MOST = 1_000_000_000

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST ? value : null
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/**
 * Reads the `usage` of a chat answer into units that do not overlap. Null where it is missing or
 * makes no sense (negative, fractional, absurdly large). Where the total says so, reasoning is counted
 * on top of the completion, as xAI reports it.
 */
export function readChatUsage(raw: unknown): Usage | null {
  const prompt = count(field(raw, 'prompt_tokens'))
  const completion = count(field(raw, 'completion_tokens'))
  if (prompt === null || completion === null) return null
  const promptDetails = field(raw, 'prompt_tokens_details')
  const cached = count(field(promptDetails, 'cached_tokens')) ?? count(field(raw, 'prompt_cache_hit_tokens')) ?? 0
  const written = count(field(promptDetails, 'cache_write_tokens')) ?? 0
  const reasoning = count(field(field(raw, 'completion_tokens_details'), 'reasoning_tokens')) ?? 0
  const apart = reasoning > 0 && field(raw, 'total_tokens') === prompt + completion + reasoning
  const output = apart ? completion + reasoning : completion
  const cachedInput = Math.min(cached, prompt)
  const cacheWrite = Math.min(written, prompt - cachedInput)
  return {
    input: BigInt(prompt - cachedInput - cacheWrite),
    cachedInput: BigInt(cachedInput),
    cacheWrite: BigInt(cacheWrite),
    output: BigInt(output),
    reasoning: BigInt(Math.min(reasoning, output)),
    requests: 1n,
  }
}

/** The `usage` object that a client gets: the vendor's own fields where there are any, and what it cost. */
export function writeChatUsage(usage: Usage, costNano: bigint, raw: JsonObject | null): JsonValue {
  const prompt = Number(usage.input + usage.cachedInput + usage.cacheWrite)
  const completion = Number(usage.output)
  return {
    ...raw,
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
    },
    cost: jsonNumber(formatDecimal(costNano)),
  }
}
