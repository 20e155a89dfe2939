import type { Connection, Deployment } from '../domain/catalog.ts'
import type { Form } from '../domain/form.ts'
import type { LanguageAsk, LanguagePart, LanguageSkills } from '../domain/language.ts'
import type { TaskJson, VideoAspect } from '../domain/task.ts'
import type { WireId } from '../domain/wire-id.ts'

/** A request's fields, as a wire of JSON has them. */
export type Fields = Readonly<Record<string, unknown>>

/** One call, ready to go out. `body` is the client's request with its caps and names already ours to send. */
export interface ForwardCall {
  deployment: Deployment
  connection: Connection
  /** The request, as the wire has it; the vendor sets its own model name and cap field. Empty where the wire takes a form. */
  body: Fields
  /** The request of a wire that takes a form. */
  form: Form | null
  stream: boolean
  /** The most output tokens one choice may have. */
  cap: number
  /** How many choices are asked for. */
  choices: number
  signal: AbortSignal
  /** Told when the request has a connection and leaves: what becomes of it until then, no vendor bills. */
  sending(): void
}

/** One call of a bridged vendor, ready to be put into its own form. */
export interface LanguageCall extends Omit<ForwardCall, 'body' | 'form'> {
  ask: LanguageAsk
}

/** The bytes of an answer, as they come. */
export interface AnswerBytes extends AsyncIterable<Uint8Array> {
  /** From now on, what comes within a millisecond of what was read before is read together, a millisecond later. */
  gather?(): void
}

/** What came back, headers first. Reading `body` drives the vendor; leaving it early aborts. */
export interface WireAnswer {
  k: 'wire'
  status: number
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: AnswerBytes
  /** Fields of the request that the vendor did not get, by their names. */
  ignored?: readonly string[]
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

/** A field of a request that a vendor cannot be given. `message` is public, and says what to do. */
export interface RefusedParameter {
  param: string
  message: string
}

export type Forward = (call: ForwardCall) => Promise<WireAnswer>

/** One task of making a video, as a vendor is asked to begin it. */
export interface VideoCall {
  deployment: Deployment
  connection: Connection
  prompt: string
  seconds: number
  /** How the video lies; null where the model's name does not say. */
  aspect: VideoAspect | null
  /** The same whenever the same task is asked for: vendors that know such keys begin it once. */
  key: string
  signal: AbortSignal
}

/** One look at a task that a vendor has begun. */
export interface VideoLook {
  deployment: Deployment
  connection: Connection
  signal: AbortSignal
}

/** The vendor has begun, and calls it so. `inMs`: there is no use in asking before. */
export interface VideoStarted {
  k: 'started'
  operation: TaskJson
  inMs?: number
}

/** Where a finished video is. `type` is its media type, where it is known. */
export type VideoSource = { url: string } | { body: AsyncIterable<Uint8Array>; type: string }

/** How a task stands with its vendor. */
export type VideoState =
  | { state: 'processing'; inMs?: number }
  /** `seconds`: how long it became, where the vendor says so. */
  | { state: 'completed'; source: VideoSource; seconds?: number }
  /** `message` is the vendor's own. */
  | { state: 'failed'; message: string }

/** A vendor of videos. Everything here throws VendorFailure. */
export interface Videos {
  /** Asked again with the same key, it begins nothing anew and gives the same answer. */
  idempotent: boolean
  /** A WireAnswer is a refusal, with its status. */
  submit(call: VideoCall): Promise<VideoStarted | WireAnswer>
  poll(operation: TaskJson, look: VideoLook): Promise<VideoState>
  /** Where it is missing, the vendor cannot be stopped. */
  cancel?(operation: TaskJson, look: VideoLook): Promise<void>
}

/** What runs models. One per connection; made by an entry of the registry. */
export interface Vendor {
  /** Wires it speaks itself, forwarded as they are. */
  forward: Partial<Record<WireId, Forward>>
  /** What of a request in one of its own wires it cannot be given; null where it takes all. Asked before money is held. */
  refuses?(wire: WireId, body: Fields): RefusedParameter | null
  /** Language models behind other wires, through the AI SDK. `skills` may differ from model to model. */
  bridge?: { skills(upstreamModel: string): LanguageSkills; run(call: LanguageCall): Promise<VendorAnswer> }
  videos?: Videos
  /** Input tokens that it adds to a request by itself, such as chat templates and tool instructions, at most. */
  inputOverhead: number
  /** It fails because it was asked to: its failures say nothing of its health. */
  simulated?: true
  close?(): Promise<void>
}
