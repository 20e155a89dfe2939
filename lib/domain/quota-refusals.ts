/**
 * What a request that is refused for want of quota is told, by what is wanting. They have one code in common, as at OpenAI, so
 * the history tells them apart by the first sentences of these texts, which therefore stay as they are.
 */
export const QUOTA_REFUSALS = {
  suspended: 'This account is suspended. The account holder can see the reason in the console.',
  key_limit:
    'This request could cost more than is left of the spending limit of this key. The account holder can raise the limit, or you can ask for less: fewer or smaller images, a shorter video, a lower max_tokens, or fewer searches (max_tool_calls, web_search_options.max_uses).',
  balance:
    'The balance does not cover the most that this request could cost. Top up in the console, or ask for less: fewer or smaller images, a shorter video, a lower max_tokens, or fewer searches (max_tool_calls, web_search_options.max_uses).',
} as const

export type QuotaRefusal = keyof typeof QUOTA_REFUSALS

const firstSentenceOf = (text: string): string => text.split('. ', 1)[0] ?? ''
const BY_SENTENCE = new Map(
  (Object.entries(QUOTA_REFUSALS) as [QuotaRefusal, string][]).map(([name, text]) => [firstSentenceOf(text), name]),
)

/** What a recorded refusal was for want of. Null if it had another reason. */
export const quotaRefusalOf = (errorText: string | null): QuotaRefusal | null =>
  (errorText === null ? undefined : BY_SENTENCE.get(firstSentenceOf(errorText))) ?? null
