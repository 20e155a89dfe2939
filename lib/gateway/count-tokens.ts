const SLICE = 2_000
const MAX_COUNTED = 400_000

/**
 * Counts tokens with OpenAI's o200k encoding, which is close enough for an estimate of any vendor's. The tokenizer takes 75
 * MB in memory and some 150 ms to load, when it is first needed; lib/host/token-counter.ts does that in a separate thread.
 * Text is cut into slices, because one endless word would take quadratic time; beyond 400,000 characters the rest is assumed
 * to be like the start.
 */
export async function countTokens(text: string): Promise<number> {
  if (text.length === 0) return 0
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  const counted = text.slice(0, MAX_COUNTED)
  let tokens = 0
  for (let at = 0; at < counted.length; at += SLICE) {
    tokens += count(counted.slice(at, at + SLICE), { disallowedSpecial: new Set() })
    // Counting a long text must not block every other request.
    if (at % (SLICE * 16) === 0) await new Promise(setImmediate)
  }
  return Math.ceil((tokens * text.length) / counted.length)
}
