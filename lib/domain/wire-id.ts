/**
 * A wire that a vendor may speak itself: what one of OpenAI's endpoints takes and answers. Others are reached through the
 * bridge.
 */
export type WireId =
  | 'openai.chat'
  | 'openai.completions'
  | 'openai.embeddings'
  /** The same, for vendors that have their own tokens: it takes texts only. */
  | 'openai.embeddings-of-texts'
  | 'openai.images'
  | 'openai.image-edits'
  | 'openai.transcriptions'
  | 'openai.translations'
  | 'openai.speech'
  | 'openai.responses'
