/** Vendors that show all thoughts that they bill. */
const SHOW_ALL_REASONING = new Set([
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

/** Vendors with both kinds of models, where a model that does not think refuses a request for its thoughts. */
const MIXED_KINDS = new Set(['openai', 'azure', 'xai', 'tollgate'])
const REASONING_MODELS = /(?:^|\/)(?:o\d|gpt-[5-9]|grok-(?:[4-9]|3-mini|code))|reasoning|thinking|codex/i
const NON_REASONING_MODELS = /non-reasoning|gpt-[5-9][^/]*-chat/i

/**
 * Whether a chat model about which nothing else is known is assumed to think in tokens that are billed but not shown. The
 * opposite mistake gives thoughts away for free: a client that leaves such a stream is charged only for the words.
 */
function mayHaveHiddenReasoning(kind: string, upstreamModel: string): boolean {
  if (MIXED_KINDS.has(kind)) return REASONING_MODELS.test(upstreamModel) && !NON_REASONING_MODELS.test(upstreamModel)
  return !SHOW_ALL_REASONING.has(kind)
}

/** The capabilities of a vendor's model about which only its name and modality are known. */
export const assumedCapabilities = (kind: string, modality: string, upstreamModel: string): string[] =>
  modality === 'chat' && mayHaveHiddenReasoning(kind, upstreamModel) ? ['hidden-reasoning'] : []
