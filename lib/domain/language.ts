import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/**
 * What a bridged vendor can be asked for. Endpoints check it before money is held, so that a request it cannot carry is a 400
 * and not a failed call.
 */
export interface LanguageCapabilities {
  /** The vendor's name in the AI SDK. Its own options and metadata stand under this key. */
  vendor: string
  /** How it signs a model's reasoning: the format's name, and the fields for signatures and for hidden reasoning. */
  thoughts: { format: string; signature: string; hidden: string | null }
  /** Whether it fetches images from their URLs itself. */
  imageUrls: boolean
  audio: boolean
  video: boolean
  /** Media types of documents it accepts. */
  files: readonly string[]
  /** Whether parts can be marked for its cache. */
  caches: boolean
  /** If its models can be asked for images in chats: the proportions and sizes that they can have. */
  imageOutput?: { aspectRatios: readonly string[]; sizes: readonly string[] }
  /** If its models can search the web by themselves. */
  search?: WebSearchSkill
  /** The name of the tool that is used there to ask for an object. No tool of the request may have that name then. */
  objectTool?: string
}

/** How a vendor searches the web. */
export interface WebSearchSkill {
  /** What it bills: each search, or each request that leads to any. */
  bills: 'searches' | 'requests'
  /** Where its answers say which pages they cite: with each block of text, or in parts of their own. */
  cites: 'blocks' | 'sources'
  /** Whether it can be told the domains, where its user is, and how many searches it may make. */
  filters: boolean
  location: boolean
  limit: boolean
  /** Whether the request can have functions as well. */
  besideFunctions: boolean
  /** The name of the tool that searches there. No tool of the request may have that name then. */
  tool?: string
}

/** What the web is searched for. */
export interface WebSearchAsk {
  maxSearches: number
  allowedDomains?: readonly string[]
  location?: { country?: string; region?: string; city?: string; timezone?: string }
}

/** What a model is asked, in the AI SDK's terms. The cap, the signal and the model's name belong to the call. */
export interface LanguageAsk {
  options: Omit<LanguageModelV4CallOptions, 'maxOutputTokens' | 'abortSignal' | 'headers' | 'includeRawChunks'>
  /** What the AI SDK has no term for. Each vendor takes it in its own way, or not at all. */
  extras: LanguageExtras
  /** The names of the request's fields that are left out. */
  ignored: string[]
}

export interface LanguageExtras {
  user?: string
  parallelToolCalls?: boolean
  imageDetail?: 'low' | 'high'
  /** Whether the answer has to follow its schema exactly. */
  strictSchema?: boolean
  /** Whether the whole prompt is to be cached. */
  cache?: boolean
  /** Whether and how it may search the web. */
  webSearch?: WebSearchAsk
  /** What the answer may consist of, if that is not only text. */
  modalities?: readonly ('text' | 'image')[]
  /** What the images of the answer look like. */
  imageConfig?: { aspectRatio?: string; imageSize?: string }
}

/** A part of an answer, and the choice that it belongs to. */
export interface LanguagePart {
  choice: number
  part: LanguageModelV4StreamPart
}
