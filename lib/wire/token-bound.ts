/** Longer runs of marks are broken up, as UAX #15 does in streams: to normalize one takes the square of its length. */
const LONG_RUN = /([\p{M}\uff9e\uff9f]{30})(?=[\p{M}\uff9e\uff9f])/gu

/**
 * The tokens that a text has at most: no tokenizer makes more of a text than it has bytes. Some first write it in its
 * compatibility form (NFKC), in which three bytes can be thirty-three.
 */
export function mostTokensOf(text: string): number {
  const bytes = Buffer.byteLength(text)
  if (bytes === text.length) return bytes
  return Math.max(bytes, Buffer.byteLength(text.replace(LONG_RUN, '$1\u034f').normalize('NFKC')))
}

/** The briefest spelling of a number that JSON has. */
const briefest = (number: number): number => Math.min(String(number).length, number.toExponential().replace('e+', 'e').length)

/**
 * By how much the tokens of a value can exceed the bytes that it came in. Numbers can grow when they are written anew: what came
 * as `1e20` goes out as twenty-one digits; nothing else that JSON.stringify writes is longer than it came. Texts can grow in
 * their compatibility form.
 */
export function growthOf(value: unknown): number {
  if (typeof value === 'string') return mostTokensOf(value) - Buffer.byteLength(value)
  if (typeof value === 'number') return String(value).length - briefest(value)
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + growthOf(item), 0)
  return Object.entries(value).reduce((sum, [name, item]) => sum + growthOf(name) + growthOf(item), 0)
}
