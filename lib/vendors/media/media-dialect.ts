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

/** What a vendor can be asked for besides chats. */
export type MediaSkill = keyof MediaModels | 'edits'

/** How to use one provider package of the AI SDK for other media than text. */
export interface MediaDialect {
  /** Loads the package. Called only if a connection of its kind is used. */
  load(): Promise<(settings: ProviderSettings) => MediaModels>
  skills: readonly MediaSkill[]
  /** The addresses that are hard-coded in the package. Requests to them go to the connection's own address. */
  packageOrigins: readonly string[]
  /** Other hosts of the vendor than that of the base URL, which its answers point to. */
  hosts: RegExp | null
  /** A path such as `/v1`, for base URLs that have none. */
  version: string
  /** How many times a call may post. A second image, or a retry, would be billed separately. */
  posts: number
  image?: {
    /** Whether it accepts a width and a height, or only their proportion. */
    by: 'size' | 'proportion'
    options?: SharedV4ProviderOptions
  }
  /** Its formats by OpenAI's names, of which `pcm` is 24 kHz, 16 bit, mono. */
  speech?: { formats: Readonly<Record<string, string>>; speeds: boolean; instructions: boolean }
  /** Its own options for what OpenAI's forms ask for. */
  transcription?(asked: { language: string | null }): SharedV4ProviderOptions
  video?(asked: { seconds: number; upstreamModel: string }): SharedV4ProviderOptions
  /** Whether it accepts the purpose of the vectors (`input_type`). */
  inputTypes?: boolean
  embedding?(asked: { dimensions: number | null; inputType: string | null }): SharedV4ProviderOptions
  correctError?(answer: ErrorAnswer): ErrorAnswer
  /** The reason for a refusal if an answer with a success status contains one; otherwise null. */
  refusalIn?(answer: unknown): string | null
}
