import type { Connection, Deployment } from '../domain/catalog.ts'
import type { LanguageAsk, LanguagePart, LanguageSkills } from '../domain/language.ts'

/** A client wire that a vendor may speak itself. Others are reached through the bridge. */
export type WireId = 'openai.chat'

/** One call, ready to go out. `body` is the client's request with its caps and names already ours to send. */
export interface ForwardCall {
  deployment: Deployment
  connection: Connection
  /** The request's fields, as the wire has them; the vendor sets its own model name and cap field. */
  body: Readonly<Record<string, unknown>>
  stream: boolean
  /** The most output tokens one choice may have. */
  cap: number
  /** How many choices are asked for. */
  choices: number
  signal: AbortSignal
}

/** One call of a bridged vendor, ready to be put into its own form. */
export interface LanguageCall extends Omit<ForwardCall, 'body'> {
  ask: LanguageAsk
}

/** What came back, headers first. Reading `body` drives the vendor; leaving it early aborts. */
export interface WireAnswer {
  k: 'wire'
  status: number
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: AsyncIterable<Uint8Array>
}

/**
 * The answer of a bridged vendor. It has begun: what goes wrong before its first part is a WireAnswer with
 * the vendor's status, as a forwarded one would be. Reading `parts` drives the vendor; they throw VendorFailure.
 */
export interface PartsAnswer {
  k: 'parts'
  status: 200
  skills: LanguageSkills
  /** Fields of the request that the vendor did not get, by their names. */
  ignored: readonly string[]
  parts: AsyncIterable<LanguagePart>
}

export type VendorAnswer = WireAnswer | PartsAnswer

/** How a call failed before it had an answer. Told apart by `kind`, never by class. */
export type FailureKind = 'unreachable' | 'timed_out' | 'cut' | 'unreadable' | 'over_cap' | 'misconfigured'

/** `detail` is for the log: never a prompt, a key or a header. */
export class VendorFailure extends Error {
  readonly mark = 'vendor_failure'
  readonly kind: FailureKind
  readonly detail: string
  constructor(kind: FailureKind, detail: string) {
    super(`the vendor call failed: ${kind}`)
    this.kind = kind
    this.detail = detail
  }
}

/** The failure inside an error, or null. */
export function asVendorFailure(error: unknown): VendorFailure | null {
  return (error as { mark?: unknown } | null | undefined)?.mark === 'vendor_failure' ? (error as VendorFailure) : null
}

export type Forward = (call: ForwardCall) => Promise<WireAnswer>

/** What runs models. One per connection; made by an entry of the registry. */
export interface Vendor {
  /** Wires it speaks itself, forwarded as they are. */
  forward: Partial<Record<WireId, Forward>>
  /** Language models behind other wires, through the AI SDK. `skills` may differ from model to model. */
  bridge?: { skills(upstreamModel: string): LanguageSkills; run(call: LanguageCall): Promise<VendorAnswer> }
  /** Input tokens that it adds to a request by itself, such as chat templates and tool instructions, at most. */
  inputOverhead: number
  /** It fails because it was asked to: its failures say nothing of its health. */
  simulated?: true
  close?(): Promise<void>
}
