import type { JsonObject } from '../json.ts'

/** Log probabilities in the form of legacy completions. */
export interface LegacyLogprobs extends JsonObject {
  tokens: string[]
  token_logprobs: number[]
  top_logprobs: { [token: string]: number }[]
  /** Where each token begins, in characters of the choice's text. */
  text_offset: number[]
}

interface TokenLogprob {
  token: string
  logprob: number
  top_logprobs?: TokenLogprob[]
}

/**
 * Converts the `logprobs` of a chat's choice, or of one of its chunks, to the legacy form. `from` is the character at which its
 * text begins. Null if there are none.
 */
export function toLegacyLogprobs(logprobs: unknown, from: number): LegacyLogprobs | null {
  const content = (logprobs as { content?: unknown } | null | undefined)?.content
  if (!Array.isArray(content)) return null
  const legacy: LegacyLogprobs = { tokens: [], token_logprobs: [], top_logprobs: [], text_offset: [] }
  let offset = from
  for (const { token, logprob, top_logprobs } of content.filter(isTokenLogprob)) {
    const others = (top_logprobs ?? []).filter(isTokenLogprob).map((other) => [other.token, other.logprob])
    legacy.tokens.push(token)
    legacy.token_logprobs.push(logprob)
    // The chosen token is always among them.
    legacy.top_logprobs.push({ ...Object.fromEntries(others), [token]: logprob })
    legacy.text_offset.push(offset)
    offset += countCodePoints(token)
  }
  return legacy
}

/** The number of characters as people and most languages count them: code points. */
export const countCodePoints = (text: string): number => [...text].length

const isTokenLogprob = (value: unknown): value is TokenLogprob =>
  typeof (value as TokenLogprob | null)?.token === 'string' && typeof (value as TokenLogprob).logprob === 'number'
