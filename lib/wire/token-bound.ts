/**
 * Longer runs of marks are broken up, as UAX #15 does in streams: the time to normalize a run grows with the square of its
 * length.
 */
const LONG_MARK_RUN = /([\p{M}\uff9e\uff9f]{30})(?=[\p{M}\uff9e\uff9f])/gu

/**
 * The most tokens that a text can have: no tokenizer makes more tokens than the text has bytes. Some first convert it to its
 * compatibility form (NFKC), in which three bytes can become thirty-three.
 */
export function maxTokensOf(text: string): number {
  const bytes = Buffer.byteLength(text)
  if (bytes === text.length) return bytes
  return Math.max(bytes, Buffer.byteLength(text.replace(LONG_MARK_RUN, '$1\u034f').normalize('NFKC')))
}

/**
 * How the 400 for a request that is longer than the context begins. OpenAI's and Anthropic's own words are in it, because clients
 * that shorten a conversation by themselves look for them: litellm and LangChain see the message only, not the code.
 */
export const tooLongFor = (contextWindow: number): string =>
  `This model's maximum context length is ${contextWindow} tokens, and the prompt is too long`

/** The length of the shortest spelling of a number in JSON. */
const shortestLengthOf = (number: number): number =>
  Math.min(String(number).length, number.toExponential().replace('e+', 'e').length)

/**
 * By how much the tokens of a value can exceed the bytes that it arrived in. Numbers can grow when they are written again: `1e20`
 * becomes twenty-one digits. Nothing else that JSON.stringify writes is longer than it was. Texts can grow in their compatibility
 * form.
 */
export function tokenGrowthOf(value: unknown): number {
  if (typeof value === 'string') return maxTokensOf(value) - Buffer.byteLength(value)
  if (typeof value === 'number') return String(value).length - shortestLengthOf(value)
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokenGrowthOf(item), 0)
  let sum = 0
  for (const name in value) sum += tokenGrowthOf(name) + tokenGrowthOf((value as Record<string, unknown>)[name])
  return sum
}
