import type { Connection, Deployment } from '../domain/catalog.ts'
import type { Form } from '../domain/form.ts'
import type { LanguageAsk, LanguageCapabilities, LanguagePart } from '../domain/language.ts'
import type { TaskJson, VideoAspect } from '../domain/task.ts'
import type { WireId } from '../domain/wire-id.ts'

/** The fields of a request on a JSON wire. */
export type Fields = Readonly<Record<string, unknown>>

/** One call, ready to be sent. `body` is the client's request with our caps and names already in place. */
export interface ForwardCall {
  deployment: Deployment
  connection: Connection
  /** The request in the form of the wire. The vendor sets its own model name and cap field. Empty if the wire takes a form. */
  body: Fields
  /** The request if the wire takes a form; otherwise null. */
  form: Form | null
  stream: boolean
  /** The most output tokens that one choice may have. */
  cap: number
  /** How many choices are asked for. */
  choices: number
  signal: AbortSignal
  /** Called when the request has a connection and is sent. Until then no vendor bills anything. */
  onSent(): void
}

/** One call to a bridged vendor, ready to be translated into its own format. */
export interface LanguageCall extends Omit<ForwardCall, 'body' | 'form'> {
  ask: LanguageAsk
}

/** The bytes of an answer, as they come. */
export interface AnswerBytes extends AsyncIterable<Uint8Array> {
  /** From now on, what comes within a millisecond after the previous read is read together, a millisecond later. */
  gather?(): void
}

/** An answer on a wire, headers first. Reading `body` sets the vendor's pace; leaving it early aborts the call. */
export interface WireAnswer {
  k: 'wire'
  status: number
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: AnswerBytes
  /** Fields of the request that the vendor did not get, by their names. */
  ignored?: readonly string[]
}

/** Whether a status says that an answer comes: any success except the two that have no body (RFC 9110, sections 15.3.5 and 15.3.6). */
export const hasAnswer = (status: number): boolean => status >= 200 && status <= 299 && status !== 204 && status !== 205

/**
 * The answer of a bridged vendor, which has already begun. What goes wrong before its first part is a WireAnswer with the
 * vendor's status, like that of a forwarded vendor. Reading `parts` sets the vendor's pace. It throws VendorFailure.
 */
export interface PartsAnswer {
  k: 'parts'
  status: 200
  skills: LanguageCapabilities
  /** Fields of the request that the vendor did not get, by their names. */
  ignored: readonly string[]
  parts: AsyncIterable<LanguagePart>
}

export type VendorAnswer = WireAnswer | PartsAnswer

/** How a call failed before it had an answer. Failures are distinguished by `kind`, never by class. */
export type FailureKind = 'unreachable' | 'timed_out' | 'cut' | 'unreadable' | 'over_cap' | 'misconfigured'

/** A failed call. `detail` is for the log and never contains a prompt, a key or a header. */
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

/** A request field that a vendor cannot be given. `message` is shown to the client and says what to do. */
export interface RefusedParameter {
  param: string
  message: string
}

export type Forward = (call: ForwardCall) => Promise<WireAnswer>

/** A request to a vendor to begin making a video. */
export interface VideoCall {
  deployment: Deployment
  connection: Connection
  prompt: string
  seconds: number
  /** The orientation of the video; null if the model's name does not say. */
  aspect: VideoAspect | null
  /** Always the same for the same task, so that vendors that support idempotency keys begin it only once. */
  key: string
  signal: AbortSignal
}

/** A query about a task that a vendor has begun. */
export interface VideoQuery {
  deployment: Deployment
  connection: Connection
  signal: AbortSignal
}

/** The vendor has begun the task, which `operation` identifies. `inMs`: polling earlier is of no use. */
export interface VideoStarted {
  k: 'started'
  operation: TaskJson
  inMs?: number
}

/** Where a finished video is: at a URL, or in a body with its media type. */
export type VideoSource = { url: string } | { body: AsyncIterable<Uint8Array>; type: string }

/** The state of a task at its vendor. */
export type VideoState =
  | { state: 'processing'; inMs?: number }
  /** `seconds`: the length of the video, if the vendor reports it. */
  | { state: 'completed'; source: VideoSource; seconds?: number }
  /** `message` is the vendor's own message. */
  | { state: 'failed'; message: string }

/** A vendor's videos. All methods throw VendorFailure. */
export interface Videos {
  /** If it is asked again with the same key, it begins nothing new and gives the same answer. */
  idempotent: boolean
  /** Begins a task. A WireAnswer is a refusal, with its status. */
  submit(call: VideoCall): Promise<VideoStarted | WireAnswer>
  poll(operation: TaskJson, query: VideoQuery): Promise<VideoState>
  /** Stops a task. If this is missing, the vendor's tasks cannot be stopped. */
  cancel?(operation: TaskJson, query: VideoQuery): Promise<void>
}

/** What runs models. There is one per connection, made by an entry of the registry. */
export interface Vendor {
  /** The wires that it speaks itself. Their requests are forwarded as they are. */
  forward: Partial<Record<WireId, Forward>>
  /** A field of a request on its own wires that it cannot be given; null if there is none. Called before money is held. */
  findRefusedParameter?(wire: WireId, body: Fields): RefusedParameter | null
  /** Language models on other wires, through the AI SDK. `skills` can differ from model to model. */
  bridge?: { skills(upstreamModel: string): LanguageCapabilities; run(call: LanguageCall): Promise<VendorAnswer> }
  videos?: Videos
  /** The most input tokens that it adds to a request by itself, for example for chat templates and tool instructions. */
  inputOverhead: number
  /** It fails on request, so its failures say nothing about its health. */
  simulated?: true
  close?(): Promise<void>
}
