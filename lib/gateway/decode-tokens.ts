/** Special tokens by their numbers: the encoding's vocabulary does not contain them. */
const SPECIAL_TOKENS: Readonly<Record<number, string>> = {
  100257: '<|endoftext|>',
  100258: '<|fim_prefix|>',
  100259: '<|fim_middle|>',
  100260: '<|fim_suffix|>',
  100276: '<|endofprompt|>',
}

/**
 * Decodes tokens of cl100k_base, the encoding of OpenAI's completion and embedding models. Null if a token is not part of it,
 * or if a character is cut. The vocabulary is loaded when first needed, which is rare. The tokenizer's own `decode` is not
 * used: half a character at the end of one text would appear at the start of the next one.
 */
export async function decodeTokens(tokens: readonly number[]): Promise<string | null> {
  const { default: vocabulary } = await import('gpt-tokenizer/bpeRanks/cl100k_base')
  const texts: string[] = []
  // Bytes of tokens that are not text by themselves. They must be complete where a text token begins, or a character is cut.
  let bytes: number[] = []
  try {
    for (const token of tokens) {
      const word = vocabulary[token] ?? SPECIAL_TOKENS[token]
      if (word === undefined) return null
      if (typeof word !== 'string') {
        bytes.push(...word)
        continue
      }
      if (bytes.length > 0) texts.push(decodeText(bytes))
      bytes = []
      texts.push(word)
    }
    return texts.join('') + decodeText(bytes)
  } catch {
    return null
  }
}

/** Throws TypeError if the bytes are not valid UTF-8. */
const decodeText = (bytes: readonly number[]): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
