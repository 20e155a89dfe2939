import type {
  EmbeddingModelV4,
  ImageModelV4,
  SharedV4ProviderOptions,
  SpeechModelV4,
  TranscriptionModelV4,
  Experimental_VideoModelV4 as VideoModelV4,
} from '@ai-sdk/provider'
import type { ErrorAnswer, ProviderSettings } from '../bridge/dialect.ts'

/** The models of a provider package, by what they make. */
export interface MediaModels {
  image?(upstreamModel: string): ImageModelV4
  speech?(upstreamModel: string): SpeechModelV4
  transcription?(upstreamModel: string): TranscriptionModelV4
  embedding?(upstreamModel: string): EmbeddingModelV4
  video?(upstreamModel: string): VideoModelV4
}

/** What can be asked of a vendor beside chats. */
export type MediaSkill = keyof MediaModels | 'edits'

/** How one provider package of the AI SDK makes what is no text. */
export interface MediaDialect {
  /** Loads the package, only where a connection of its kind is used. */
  load(): Promise<(settings: ProviderSettings) => MediaModels>
  skills: readonly MediaSkill[]
  /** The addresses that are written into the package: what goes there goes to the connection's own. */
  homes: readonly string[]
  /** Hosts of the vendor's beside its base URL's, which its answers point to. */
  hosts: RegExp | null
  /** A path such as `/v1`, for base URLs that have none. */
  version: string
  /** How many times a call may post: a second image, or a repeat, would be billed apart. */
  posts: number
  image?: {
    /** Whether it takes a width and a height, or only their proportion. */
    by: 'size' | 'proportion'
    options?: SharedV4ProviderOptions
  }
  /** Its formats by OpenAI's words for them, of which `pcm` is 24 kHz, 16 bit, mono. */
  speech?: { formats: Readonly<Record<string, string>>; speeds: boolean; instructions: boolean }
  /** Its own words for what OpenAI's forms ask for. */
  transcription?(asked: { language: string | null }): SharedV4ProviderOptions
  video?(asked: { seconds: number; upstreamModel: string }): SharedV4ProviderOptions
  /** Whether it takes what vectors are for. */
  inputTypes?: boolean
  embedding?(asked: { dimensions: number | null; inputType: string | null }): SharedV4ProviderOptions
  corrected?(answer: ErrorAnswer): ErrorAnswer
  /** Why what was asked for is refused, where an answer with a good status says so; null where it does not. */
  refused?(answer: unknown): string | null
}
