import type { LanguageCapabilities } from '../domain/language.ts'
import type { ResponseStore } from '../domain/stored-response.ts'
import type { Usage } from '../domain/usage.ts'
import type { JsonValue } from './json.ts'

/** Stores results for a while, and fetches results that a vendor stores. */
export interface FilePort {
  /**
   * Stores what a model made and returns its signed address, which is valid until `untilMs` (wall clock, truncated to the
   * second). Resolves when the content is durable. Throws a Refusal if it cannot be stored, and whatever `content` throws.
   */
  save(content: Uint8Array | AsyncIterable<Uint8Array>, type: string, untilMs: number): Promise<{ url: string }>
  /**
   * Fetches what is at an address that a vendor or a client named. Addresses inside this or any other private network are
   * refused, except at `ownOrigin`, the origin of the connection whose vendor named the address. `type` is the media type in
   * lower case, without parameters, and empty if there is none. The body has to be read or closed. Both this call and the body
   * throw the Refusal `vendor_failed`, whose `detail` says why.
   */
  fetch(url: string, maxBytes: number, ownOrigin: string | null, signal?: AbortSignal): Promise<FetchedFile>
}

export interface FetchedFile {
  type: string
  body: AsyncIterable<Uint8Array>
}

/** What an answer can use between its end and its charge. */
export interface FinishPorts {
  accountId: string
  keepHistory: boolean
  /** When the request arrived. */
  at: Date
  /** The current time, in milliseconds since 1970. */
  nowMs: number
  responses: ResponseStore
  /** The origin of the vendor that answered; null if it has no address. */
  vendorOrigin: string | null
  files: FilePort
  /** How long a result is stored, in milliseconds. */
  fileLifetimeMs: number
  /** Tells the operator about something that went wrong without being an error. */
  warn(fields: object, message: string): void
}

/** A non-streaming answer that was read: what it used, and how it is written once its cost is known. */
export interface NonStreamingAnswer {
  /** Its media type. The default is JSON. */
  type?: string
  /**
   * What has to be done before the answer can be written and charged. If this throws, nothing is charged. StreamBrokenError or
   * `vendor_failed` means that another vendor may do better. Any other refusal means that the gateway itself failed, and no other
   * vendor is tried.
   */
  finish?(ports: FinishPorts): Promise<void>
  /** Stores the answer for later, before it is charged. The vendor has no part in this. What it throws refuses the answer. */
  store?(ports: FinishPorts): Promise<void>
  /** Null if the vendor reported nothing usable. */
  usage: Usage | null
  finishReason: string | null
  /** The text that was generated, for counting if there is no usage. */
  text(): string
  /** How many images a chat model made, for the same. */
  readonly images?: number
  /** How many searches of the web the vendor made. */
  readonly searches?: number
  encode(usage: Usage, costNano: bigint): Buffer
  toAnswerJson(): JsonValue
}

/** The state of a stream when its upstream ended. */
export interface StreamEnd {
  /** Whether it ended as a whole answer should. */
  complete: boolean
  usage: Usage | null
  finishReason: string | null
}

/** Reads the usage out of a stream's bytes, or out of a bridged model's parts, as they pass. Its memory is bounded. */
export interface StreamTap<Item = Uint8Array> {
  /**
   * The media type of what is sent; events by default. If it is not events, an error in mid-stream cannot be reported, so the
   * connection is cut.
   */
  readonly type?: string | undefined
  /** What has to be done before a complete stream is charged. What it throws breaks off the stream. */
  finish?(ports: FinishPorts): Promise<void>
  /** Stores a complete stream for later, before it is charged. What it throws breaks off the stream. */
  store?(ports: FinishPorts): Promise<void>
  /** Returns the bytes to send on to the client, which may be empty. They include everything before a break. */
  push(item: Item): Uint8Array
  /** Why nothing more can be read; null if nothing is wrong. */
  readonly broken: StreamBrokenError | null
  /** True once the vendor has said that it is done. Nothing is read after that. */
  readonly done: boolean
  /** True once something that the model generated has passed. */
  readonly started: boolean
  end(): StreamEnd
  /** The last bytes of a stream that breaks off, if its wire has its own way to report an error. */
  fail?(error: WireError): Uint8Array
  /** The last bytes, sent when the charge is durable. */
  tail(usage: Usage, costNano: bigint): Uint8Array
  text(): string
  /** How many images of a chat model have arrived. */
  readonly images?: number
  /** How many searches of the web the vendor has made. */
  readonly searches?: number
  /** How many characters have arrived since the usage that end() returns. Absent if that usage always covers all of them. */
  readonly uncounted?: number
  /** The same for images. */
  readonly uncountedImages?: number
  toAnswerJson(): JsonValue
}

/** An error in the form that it has in the body of a refusal. */
export interface WireError {
  message: string
  type: string
  param: string | null
  code: string
}

/** An error that a vendor put into the body of a good answer, where it belongs into a status of its own. `text` is JSON. */
export interface InBandError {
  status: number
  text: string
}

/**
 * A stream that cannot be read any further. `message` is public: it is what the client is told about the vendor. `inBand` is not:
 * it is the vendor's own error, if it has a status. `vendorWorks`: the model could not answer this request, which says nothing about
 * others.
 */
export class StreamBrokenError extends Error {
  readonly mark = 'stream_broken'
  readonly detail: string
  readonly inBand: InBandError | null
  readonly vendorWorks: boolean
  constructor(message: string, detail: string, inBand: InBandError | null = null, vendorWorks = false) {
    super(message)
    this.detail = detail
    this.inBand = inBand
    this.vendorWorks = vendorWorks
  }
}

/** Created for an answer that is not what its wire says. `detail` is logged, never sent to the client. */
export const createUnreadableError = (detail: string): StreamBrokenError =>
  new StreamBrokenError('The model sent an answer that could not be read.', detail)

/** What every answer says about itself. */
export interface AnswerHead {
  modelId: string
  requestId: string
  at: Date
}

/** What is known about a forwarded answer. */
export interface WireHead extends AnswerHead {
  /** The media type, in lower case and without parameters; empty if the vendor sent none. */
  type: string
}

/** What is known about a bridged answer. */
export interface LanguageHead extends AnswerHead {
  skills: LanguageCapabilities
}
