import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/**
 * What a bridged vendor can be asked. Endpoints read it before money is held, so that what cannot be
 * carried is a 400 and not a failed call.
 */
export interface LanguageSkills {
  /** The AI SDK's name of it: options and metadata of its own stand under this key. */
  vendor: string
  /** How it signs what a model thought: the format's name, and the fields of signatures and of hidden thoughts. */
  thoughts: { format: string; signature: string; hidden: string | null }
  /** Whether it fetches images by their address itself. */
  imageUrls: boolean
  audio: boolean
  video: boolean
  /** Media types of documents. */
  files: readonly string[]
  /** Whether parts can be marked for its cache. */
  caches: boolean
  /** The name of the tool through which an object may be asked for there; none of the request's own can have it then. */
  objectTool?: string
}

/** What is asked of a model, in the AI SDK's words. The cap, the signal and the model's name are the call's. */
export interface LanguageAsk {
  options: Omit<LanguageModelV4CallOptions, 'maxOutputTokens' | 'abortSignal' | 'headers' | 'includeRawChunks'>
  /** What the AI SDK has no word for: each vendor takes it in its own way, or not at all. */
  extras: LanguageExtras
  /** Fields of the request that are left out, by their names. */
  ignored: string[]
}

export interface LanguageExtras {
  user?: string
  parallelToolCalls?: boolean
  imageDetail?: 'low' | 'high'
  /** The answer has to follow its schema to the letter. */
  strictSchema?: boolean
  /** The whole prompt is to be cached. */
  cache?: boolean
}

/** A piece of an answer, and the choice that it belongs to. */
export interface LanguagePart {
  choice: number
  part: LanguageModelV4StreamPart
}
