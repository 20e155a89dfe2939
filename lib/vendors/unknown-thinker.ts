/** Vendors that show all the thoughts that they bill. */
const SHOWS = new Set([
  'alibaba',
  'cerebras',
  'cohere',
  'deepinfra',
  'deepseek',
  'fireworks',
  'groq',
  'mistral',
  'moonshot',
  'ollama',
  'perplexity',
  'sandbox',
  'together',
  'vllm',
])

/** Vendors of both kinds of models, where one that does not think refuses to be asked for its thoughts. */
const MIXED = new Set(['openai', 'azure', 'xai', 'tollgate'])
const THINKS = /(?:^|\/)(?:o\d|gpt-[5-9]|grok-(?:[4-9]|3-mini|code))|reasoning|thinking|codex/i
const DOES_NOT = /non-reasoning|gpt-[5-9][^/]*-chat/i

/**
 * Whether a chat model of which nothing else is known is taken to think in tokens that are billed and not shown. A mistake
 * the other way gives thoughts away: whoever leaves such a stream is charged for the words alone.
 */
function mayThinkUnseen(kind: string, upstreamModel: string): boolean {
  if (MIXED.has(kind)) return THINKS.test(upstreamModel) && !DOES_NOT.test(upstreamModel)
  return !SHOWS.has(kind)
}

/** What a model of a vendor can do of which nothing is known but its name, and what it is for. */
export const unknownCapabilities = (kind: string, modality: string, upstreamModel: string): string[] =>
  modality === 'chat' && mayThinkUnseen(kind, upstreamModel) ? ['hidden-reasoning'] : []
