/**
 * The sandbox's only counting rule. A token is one of these, with the single space before it if there is one: a Chinese, Japanese
 * or Korean character, up to six letters and digits of a word, or any other character that is not white space. Each remaining run
 * of white space is one token. So a text never has more tokens than UTF-8 bytes. Six digits, because 1e20 has four characters and
 * JSON.stringify writes it with 21. The rule never looks back, so the first tokens of a text are those of its beginning.
 */
const TOKEN =
  / ?[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]| ?[[\p{L}\p{N}\p{M}_]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]]{1,6}| ?[^\s]|\s+/gv

/** Splits a text into its first tokens, at most `limit`. All tokens, joined, are the text. */
export function splitTokens(text: string, limit: number = Number.POSITIVE_INFINITY): string[] {
  const tokens: string[] = []
  if (limit <= 0) return tokens
  for (const [token] of text.matchAll(TOKEN)) {
    tokens.push(token)
    if (tokens.length >= limit) break
  }
  return tokens
}

/** Counts the tokens of a text. There are never more than its bytes in UTF-8. */
export function countTokens(text: string): number {
  let count = 0
  TOKEN.lastIndex = 0
  while (TOKEN.test(text)) count++
  return count
}

/** The text on one line, at most `limit` tokens long. An ellipsis says that it was longer. */
export function shorten(text: string, limit: number): string {
  // The beginning is enough: a token has at most seven characters once white space is collapsed.
  const line = text
    .slice(0, limit * 64)
    .replace(/\s+/g, ' ')
    .trim()
  const tokens = splitTokens(line, limit + 1)
  return tokens.length <= limit && text.length <= limit * 64 ? line : `${tokens.slice(0, limit).join('')}…`
}
