import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage, SharedV4Warning } from '@ai-sdk/provider'
import type { Dispatcher } from 'undici'
import type { Connection } from '../../domain/catalog.ts'
import type { LanguageAsk, LanguageCapabilities } from '../../domain/language.ts'
import type { WireAnswer } from '../vendor.ts'
import type { AnswerCorrections } from './correct-answer.ts'

/** The settings with which a provider package is created for one call. */
export interface ProviderSettings {
  baseUrl: string
  secret: string
  headers: Record<string, string>
  /** Its only way to send a request: the last gate before the socket. */
  fetch: typeof globalThis.fetch
}

/** The vendor's own request, as a provider package has made it. */
export type Outgoing = Record<string, unknown>

/** What a provider package is asked, and the request's fields that it does not get. */
export interface AdaptedAsk {
  options: LanguageModelV4CallOptions
  ignored: string[]
}

/** A request at the last gate, as it is about to be sent. */
export interface OutgoingRequest {
  url: string
  headers: Record<string, string>
  body: string
  signal: AbortSignal | null
}

/** Adds a credential that is computed from the request, or a token that is fetched first. Returns all headers of the request. */
export type Authorize = (outgoing: OutgoingRequest, connection: Connection, agent: Dispatcher) => Promise<Record<string, string>>

/** How to use one provider package of the AI SDK. */
export interface Dialect {
  /** Loads the package, which takes 25 MB. Called only if a connection of its kind is used. */
  load(): Promise<(settings: ProviderSettings, upstreamModel: string) => LanguageModelV4>
  skills(upstreamModel: string): LanguageCapabilities
  /** Puts what the AI SDK has no option for into the vendor's own options. */
  adapt(ask: LanguageAsk, upstreamModel: string): AdaptedAsk
  /** Lowers what the package asks for by itself, such as a budget for thoughts, so that it fits the cap. */
  fit(body: Outgoing, cap: number): FitResult
  /** The request with what the package has lost of it; null if it has lost nothing. */
  restore?(body: Outgoing, ask: LanguageAsk): Outgoing | null
  /** The request's fields that the package has changed without a warning. */
  findChangedFields?(body: Outgoing, ask: LanguageAsk): string[]
  /** The most output tokens that an outgoing request asks for; Infinity if it names no cap. */
  capOf(body: Outgoing): number
  /** The request's field that a warning of the package is about; null if the warning is not about the request. */
  fieldOf(warning: SharedV4Warning, ask: LanguageAsk): string | null
  /** The vendor's error answer with its true status. Some vendors answer 400 although only the operator can help. */
  correctError(answer: ErrorAnswer): ErrorAnswer
  /** What its package cannot read as the vendor sends it. */
  corrections?: AnswerCorrections
  /** Set if the package cannot add the credential, for example because a signature has to cover what the gate has changed. */
  authorize?: Authorize
  /** The usage that is billed, if the package reports another one. */
  billedUsageOf?(usage: LanguageModelV4Usage): LanguageModelV4Usage
  /** A path such as `/v1`, for base URLs that have none. */
  version: string
  inputOverhead: number
}

/** The result of `fit`. `body` is null if the request can be sent as it is. */
export interface FitResult {
  body: Outgoing | null
  ignored: string[]
}

/** An error answer that has been read. `text` is at most 64 KiB long. */
export type ErrorAnswer = Pick<WireAnswer, 'status' | 'headers'> & { text: string }

/** Accepts any object, for vendors that have no JSON mode without a schema. */
export const ANY_OBJECT = { type: 'object', additionalProperties: true } as const

/** The tool through which packages ask for an object if their vendor has no other way. */
export const OBJECT_TOOL = 'json'
/** A package may add a number to the name if the request has a tool of that name. */
const OBJECT_TOOLS = new RegExp(`^${OBJECT_TOOL}(_\\d+)?$`)

/**
 * Whether a package has added its tool for an object to the request's own tools. `names` are those of all tools that are sent;
 * the package's own is the last. The model then has to call any one of the tools, so a call to one of the request's own tools
 * can no longer be forced.
 */
export function hasAddedObjectTool(names: readonly unknown[], { options: { tools = [], responseFormat } }: LanguageAsk): boolean {
  const last = names.at(-1)
  if (responseFormat?.type !== 'json' || tools.length === 0 || typeof last !== 'string') return false
  return OBJECT_TOOLS.test(last) && !tools.some(({ name }) => name === last)
}

/** Maps the features that provider packages warn about to the names of request fields. */
export function fieldByFeature(fields: Readonly<Record<string, string | null>>) {
  return (warning: SharedV4Warning, _ask: LanguageAsk): string | null => {
    const feature = 'feature' in warning ? warning.feature : 'setting' in warning ? warning.setting : null
    const field = feature === null ? undefined : fields[feature]
    // A feature that is in no table is named too, so that a test can fail on it.
    return field === undefined ? 'other' : field
  }
}
