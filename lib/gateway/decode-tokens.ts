/** Marks between texts, by their numbers: the encoding's list of words does not have them. */
const MARKS: Readonly<Record<number, string>> = {
  100257: '<|endoftext|>',
  100258: '<|fim_prefix|>',
  100259: '<|fim_middle|>',
  100260: '<|fim_suffix|>',
  100276: '<|endofprompt|>',
}

/**
 * The text of tokens in cl100k_base, the encoding of OpenAI's models of completions and of vectors; null where one is none of it, or
 * where a character is cut. The list of words is loaded when first needed, which is seldom. The tokenizer's own
 * `decode` is not used: half a character at the end of one text would come out at the start of the next one.
 */
export async function decodeTokens(tokens: readonly number[]): Promise<string | null> {
  const { default: words } = await import('gpt-tokenizer/bpeRanks/cl100k_base')
  const texts: string[] = []
  // Of words that are no text by themselves. They end where a text begins, or are cut.
  let bytes: number[] = []
  try {
    for (const token of tokens) {
      const word = words[token] ?? MARKS[token]
      if (word === undefined) return null
      if (typeof word !== 'string') {
        bytes.push(...word)
        continue
      }
      if (bytes.length > 0) texts.push(textOf(bytes))
      bytes = []
      texts.push(word)
    }
    return texts.join('') + textOf(bytes)
  } catch {
    return null
  }
}

/** Throws TypeError where they are none. */
const textOf = (bytes: readonly number[]): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
