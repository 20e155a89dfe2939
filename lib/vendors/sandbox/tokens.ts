/**
 * The sandbox's only rule of counting: a token is, with the one space before it if there is one, a character
 * of Chinese, Japanese or Korean, or up to six letters and digits of a word, or any other character that is
 * no space; what white space is left over is one token per run. So tokens are never more than UTF-8 bytes.
 * Six digits, because 1e20 has four characters and JSON.stringify writes it with 21.
 * The rule looks only ahead of itself, so that the first tokens of a text are those of the text's beginning.
 */
const TOKEN =
  / ?[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]| ?[[\p{L}\p{N}\p{M}_]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]]{1,6}| ?[^\s]|\s+/gv

/** Cuts a text into its first tokens, at most `limit`. Joined, all of them are the text. */
export function splitTokens(text: string, limit: number = Number.POSITIVE_INFINITY): string[] {
  const tokens: string[] = []
  if (limit <= 0) return tokens
  for (const [token] of text.matchAll(TOKEN)) {
    tokens.push(token)
    if (tokens.length >= limit) break
  }
  return tokens
}

/** How many tokens a text has. Never more than its bytes in UTF-8. */
export function countTokens(text: string): number {
  let count = 0
  TOKEN.lastIndex = 0
  while (TOKEN.test(text)) count++
  return count
}

/** The text on one line and at most `limit` tokens long; an ellipsis says that it was longer. */
export function shorten(text: string, limit: number): string {
  // A piece is enough: a token has at most seven characters once white space is single.
  const line = text
    .slice(0, limit * 64)
    .replace(/\s+/g, ' ')
    .trim()
  const tokens = splitTokens(line, limit + 1)
  return tokens.length <= limit && text.length <= limit * 64 ? line : `${tokens.slice(0, limit).join('')}…`
}
