import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage, SharedV4Warning } from '@ai-sdk/provider'
import type { Dispatcher } from 'undici'
import type { Connection } from '../../domain/catalog.ts'
import type { LanguageAsk, LanguageSkills } from '../../domain/language.ts'
import type { WireAnswer } from '../vendor.ts'

/** What a provider package is made with, for one call. */
export interface ProviderSettings {
  baseUrl: string
  secret: string
  headers: Record<string, string>
  /** The only way out: the last gate before the socket. */
  fetch: typeof globalThis.fetch
}

/** The vendor's own request, as a provider package has made it. */
export type Outgoing = Record<string, unknown>

/** What a provider package is asked, and which fields of the request it does not get. */
export interface Adapted {
  options: LanguageModelV4CallOptions
  ignored: string[]
}

/** A request at the last gate, as it will leave. */
export interface Leaving {
  url: string
  headers: Record<string, string>
  body: string
  signal: AbortSignal | null
}

/** Puts the credential on a request that is made of it, or needs a token that is fetched first. Answers all its headers. */
export type Authorize = (leaving: Leaving, connection: Connection, agent: Dispatcher) => Promise<Record<string, string>>

/** How one provider package of the AI SDK is spoken to. */
export interface Dialect {
  /** Loads the package: 25 MB, and only where a connection of its kind is used. */
  load(): Promise<(settings: ProviderSettings, upstreamModel: string) => LanguageModelV4>
  skills(upstreamModel: string): LanguageSkills
  /** Puts what the AI SDK has no word for into the vendor's own options. */
  adapt(ask: LanguageAsk, upstreamModel: string): Adapted
  /** Lowers what the package asks for by itself, such as a budget for thoughts, until it fits the cap. */
  fit(body: Outgoing, cap: number): Fitted
  /** Fields of the request that the package has put otherwise than they were asked, and says nothing of. */
  changed?(body: Outgoing, ask: LanguageAsk): string[]
  /** The most output tokens that an outgoing request asks for. Infinity where it names no cap. */
  capOf(body: Outgoing): number
  /** The request's field behind a warning of the package; null where the warning says nothing of the request. */
  fieldOf(warning: SharedV4Warning, ask: LanguageAsk): string | null
  /** The vendor's error answer with its true status: some say 400 where only the operator can help. */
  corrected(answer: ErrorAnswer): ErrorAnswer
  /** Where the package cannot do it, because a signature has to hold for what the gate has changed. */
  authorize?: Authorize
  /** What is billed, where the package counts something else. */
  billed?(usage: LanguageModelV4Usage): LanguageModelV4Usage
  /** A path such as `/v1`, for base URLs that have none. */
  version: string
  inputOverhead: number
}

/** What `fit` made: null where the request may go as it is. */
export interface Fitted {
  body: Outgoing | null
  ignored: string[]
}

/** An error answer, read. `text` is at most 64 KiB long. */
export type ErrorAnswer = Pick<WireAnswer, 'status' | 'headers'> & { text: string }

/** A value's field, where the value is an object. */
export const fieldIn = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** The tool through which packages ask for an object where their vendor has no other way to be asked for one. */
export const OBJECT_TOOL = 'json'
/** A package may number it where the request has one of that name. */
const OBJECT_TOOLS = new RegExp(`^${OBJECT_TOOL}(_\\d+)?$`)

/**
 * Whether a package has put its tool for an object beside the request's own tools. `names` are those of all that leave: its own
 * is the last. It has to be one of them that is called, which is no call of the request's where that had to be.
 */
export function besideObjectTool(names: readonly unknown[], { options: { tools = [], responseFormat } }: LanguageAsk): boolean {
  const last = names.at(-1)
  if (responseFormat?.type !== 'json' || tools.length === 0 || typeof last !== 'string') return false
  return OBJECT_TOOLS.test(last) && !tools.some(({ name }) => name === last)
}

/** Names of request fields by the features that provider packages warn of. */
export function fieldByFeature(fields: Readonly<Record<string, string | null>>) {
  return (warning: SharedV4Warning, _ask: LanguageAsk): string | null => {
    const feature = 'feature' in warning ? warning.feature : 'setting' in warning ? warning.setting : null
    const field = feature === null ? undefined : fields[feature]
    // What no table knows is named too, so that a test can fail on it.
    return field === undefined ? 'other' : field
  }
}
