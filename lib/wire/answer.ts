import type { LanguageSkills } from '../domain/language.ts'
import type { ResponseShelf } from '../domain/stored-response.ts'
import type { Usage } from '../domain/usage.ts'
import type { JsonValue } from './json.ts'

/** Results that are kept for a while, and those that a vendor keeps. */
export interface FilePort {
  /**
   * Keeps what a model made, and answers its signed address, which is good until `untilMs` (wall clock, cut to the
   * second). Resolves when it is durable. Throws a refusal where it cannot be stored, and what `content` throws.
   */
  keep(content: Uint8Array | AsyncIterable<Uint8Array>, type: string, untilMs: number): Promise<{ url: string }>
  /**
   * Fetches what an address holds that a vendor or a client named. Addresses inside this or any other private network
   * are refused, except at `ownOrigin`: that of the connection whose vendor named it. `type` is the media type in lower
   * case, without parameters; empty where there is none. The body has to be read or left, and throws as this does: a
   * refusal, `vendor_failed`, whose `detail` says why.
   */
  fetch(url: string, maxBytes: number, ownOrigin: string | null, signal?: AbortSignal): Promise<Fetched>
}

export interface Fetched {
  type: string
  body: AsyncIterable<Uint8Array>
}

/** What an answer may ask for between its end and its charge. */
export interface FinishPorts {
  accountId: string
  keepHistory: boolean
  /** When the request came. */
  at: Date
  /** The time now, in milliseconds since 1970. */
  nowMs: number
  responses: ResponseShelf
  /** Where the vendor is that answered; null where it has no address. */
  vendorOrigin: string | null
  files: FilePort
  /** How long a result is kept, in milliseconds. */
  fileLifeMs: number
  /** Tells the operator of something that went wrong without being an error. */
  warn(fields: object, message: string): void
}

/** A whole answer, read: what it used, and how it leaves once its cost is known. */
export interface WholeAnswer {
  /** Its media type; JSON where it says nothing. */
  type?: string
  /**
   * What has to be done before it can be written and paid for. What it throws is not charged: StreamBroken, or
   * `vendor_failed`, where another vendor may do better; any other refusal where the gateway itself failed, and nobody
   * else is asked.
   */
  finish?(ports: FinishPorts): Promise<void>
  /** Keeps it for later, before it is paid for. The vendor has nothing to do with that; what it throws refuses the answer. */
  store?(ports: FinishPorts): Promise<void>
  /** Null where the vendor reported nothing usable. */
  usage: Usage | null
  finishReason: string | null
  /** The text that was generated, for counting where there is no usage. */
  text(): string
  encode(usage: Usage, costNano: bigint): Buffer
  folded(): JsonValue
}

/** How a stream stands when its upstream ended. */
export interface StreamEnd {
  /** It ended as a whole answer should. */
  complete: boolean
  usage: Usage | null
  finishReason: string | null
}

/** Reads usage out of a stream's bytes, or a bridged model's parts, as they pass. Bounded in memory. */
export interface StreamTap<Item = Uint8Array> {
  /**
   * The media type of what leaves; events where it says nothing. Where it is none of events there is no way to say that
   * something failed in mid-stream: the connection is cut then.
   */
  readonly type?: string | undefined
  /** What has to be done before a complete stream is paid for. What it throws breaks the stream off. */
  finish?(ports: FinishPorts): Promise<void>
  /** Keeps a complete stream for later, before it is paid for. What it throws breaks the stream off. */
  store?(ports: FinishPorts): Promise<void>
  /** Bytes that may go on to the client; may be empty. What stands before a break is still among them. */
  push(item: Item): Uint8Array
  /** Why nothing more can be read; null while all is well. */
  readonly broken: StreamBroken | null
  /** True once the vendor has said that it is done; nothing after that is read. */
  readonly done: boolean
  /** True once something that the model made has passed. */
  readonly started: boolean
  end(): StreamEnd
  /** The last bytes of a stream that breaks off, where its wire has a way of its own to say so. */
  fail?(error: WireError): Uint8Array
  /** The last bytes, sent when the charge is durable. */
  tail(usage: Usage, costNano: bigint): Uint8Array
  text(): string
  /** How many characters have come since the usage that end() tells; absent where that is always of all of them. */
  readonly uncounted?: number
  folded(): JsonValue
}

/** What an error says of itself, as it stands in the body of a refusal. */
export interface WireError {
  message: string
  type: string
  param: string | null
  code: string
}

/** A stream that cannot be read any further. `message` is public: it is what the vendor told the client. */
export class StreamBroken extends Error {
  readonly mark = 'stream_broken'
  readonly detail: string
  constructor(message: string, detail: string) {
    super(message)
    this.detail = detail
  }
}

/** What an answer says of itself. */
export interface AnswerHead {
  modelId: string
  requestId: string
  at: Date
}

/** What is known of a forwarded answer. */
export interface WireHead extends AnswerHead {
  /** The media type, in lower case and without parameters; empty where the vendor gave none. */
  type: string
}

/** What is known of a bridged answer. */
export interface LanguageHead extends AnswerHead {
  skills: LanguageSkills
}
