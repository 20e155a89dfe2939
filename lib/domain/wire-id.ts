/** A wire that a vendor may speak itself: what one endpoint of OpenAI's takes and answers. Others are reached through the bridge. */
export type WireId =
  | 'openai.chat'
  | 'openai.completions'
  | 'openai.embeddings'
  /** The same, for vendors that have tokens of their own: texts alone go in. */
  | 'openai.embeddings-of-texts'
  | 'openai.images'
  | 'openai.image-edits'
  | 'openai.transcriptions'
  | 'openai.translations'
  | 'openai.speech'
  | 'openai.responses'
