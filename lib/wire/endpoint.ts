import type { z } from 'zod'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Form, Upload } from '../domain/form.ts'
import type { LanguageAsk, LanguagePart, LanguageSkills } from '../domain/language.ts'
import type { ModelPrice } from '../domain/price.ts'
import type { Soon } from '../domain/soon.ts'
import type { ResponseShelf } from '../domain/stored-response.ts'
import type { Task, VideoAsk } from '../domain/task.ts'
import type { Usage } from '../domain/usage.ts'
import type { WireId } from '../domain/wire-id.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** The most that a request can use: sizes its hold. `cap` is the output of one choice, told to the vendor. */
export interface Bound {
  usage: Usage
  cap: number
  choices: number
}

/** What an endpoint may ask while it prepares and bounds a request. */
export interface PreparePorts {
  model: CatalogModel
  /** Pinned for this request. */
  price: ModelPrice
  accountId: string
  keepHistory: boolean
  responses: ResponseShelf
  /** The request's size as it arrived, without files: no tokenizer makes more tokens than there are bytes. */
  bodyBytes: number
  /** Counts tokens of text; slow, for the cases in which a bound by bytes is too coarse. */
  countTokens(text: string): Promise<number>
  /** The text of tokens in the encoding of OpenAI's completion models (cl100k_base); null where they are none. */
  decodeTokens(tokens: readonly number[]): Promise<string | null>
  /** How long a sound is, in seconds, by its data; null where it is none. */
  audioSeconds(file: Upload): Promise<number | null>
}

/** What a file of a form may be. */
export interface FileRule {
  /** How many of that name, at most and, where it has to be there, at least. */
  most: number
  least?: number
  maxBytes: number
  /** Media types that its content may have, such as `image/png` and `audio/*`. */
  types: readonly string[]
}

/** What a request's body is, and what is checked while it arrives. */
export type BodyRules = { kind: 'json' } | { kind: 'form'; files: Readonly<Record<string, FileRule>> }

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

/** A request in a vendor's wire. The vendor puts in its own name of the model, and its caps. */
export type Outgoing = { json: JsonObject } | { form: Form }

/** One way to ask a vendor that speaks a wire, and to read what it answers there. */
export interface WireForm<Prepared> {
  wire: WireId
  /** Which models it is for; all of them where this is absent. */
  fits?(model: CatalogModel): boolean
  /** Throws the 400 that names what cannot be carried this way. Nothing was charged yet. */
  check?(prepared: Prepared): void
  /** What a field of the wire is called in the endpoint's own requests, where that is another name. */
  named?(field: string, prepared: Prepared): string
  ask(prepared: Prepared): Outgoing
  whole(bytes: Buffer, prepared: Prepared, head: WireHead): WholeAnswer
  /** Only where the endpoint streams. */
  tap?(prepared: Prepared, head: WireHead): StreamTap
}

/** A piece of one of several answers, and which of them it belongs to. */
export interface Piece {
  at: number
  bytes: Uint8Array
}

/**
 * A way to ask a vendor that speaks a wire several times at once, under one hold, as one call: where one fails
 * before anything was sent, all of it has failed. The choices of a bound are shared among them equally.
 */
export interface FanForm<Prepared> extends Pick<WireForm<Prepared>, 'wire' | 'fits' | 'check'> {
  asks(prepared: Prepared): readonly Outgoing[]
  whole(answers: readonly Buffer[], prepared: Prepared, head: WireHead): WholeAnswer
  tap?(prepared: Prepared, head: WireHead): StreamTap<Piece>
}

export type AnyForm<Prepared> = WireForm<Prepared> | FanForm<Prepared>

/** How an endpoint is answered by vendors that do not speak its wire: through the AI SDK's words. */
export interface LanguageForm<Prepared> {
  /** Throws the 400 that names what a vendor with these skills cannot be given. Nothing was charged yet. */
  ask(prepared: Prepared, skills: LanguageSkills): LanguageAsk
  /** All that is asked, where it is several things at once, as of a FanForm. The choices of their parts are numbered on. */
  asks?(prepared: Prepared, skills: LanguageSkills): readonly LanguageAsk[]
  whole(parts: readonly LanguagePart[], prepared: Prepared, head: LanguageHead): WholeAnswer
  tap(prepared: Prepared, head: LanguageHead): StreamTap<LanguagePart>
}

/** What answers are, by their media type: the shape of JSON, or of one event of a stream; null for what is no JSON. */
export type Answers = Readonly<Record<string, z.ZodType | null>>

/** How documentation tells of an endpoint. */
export interface EndpointDocs {
  summary: string
  description?: string
  answers: Answers
}

/** Something that is sold: its request, and the bound that sizes its hold. */
interface Sale<Input, Prepared> {
  /** As it stands in usage records. */
  name: string
  method: 'POST'
  docs: EndpointDocs
  /** Kinds of models that answer here. */
  modalities: readonly string[]
  body: BodyRules
  /** What its request is, as documentation shows it: the schema that parses it. */
  request: z.ZodType
  parse(body: JsonObject | Form): Input
  modelOf(input: Input): string
  streamed(input: Input): boolean
  /** Its streams show little of what the vendor bills: they run on when their client leaves, as whole answers do. */
  runsOn?: true
  prepare(input: Input, ports: PreparePorts): Soon<Prepared>
  /** `freeNano` is the account's free money; `price` the one that is pinned for this request. */
  bound(
    prepared: Prepared,
    ports: PreparePorts,
    price: ModelPrice,
    multiplierBp: bigint,
    freeNano: bigint,
    overhead: number,
  ): Bound
  /** A request's text, for counting where the vendor reports no usage. */
  text(prepared: Prepared): string
  /**
   * What was used where the answer does not tell, within the bound: it reported nothing, or broke off, or was left.
   * Tokens of text are counted where this is absent. `exact` where that much is known without an answer.
   */
  estimate?(
    prepared: Prepared,
    countTokens: PreparePorts['countTokens'],
    /** The text that came out. */
    output: () => string,
  ): Promise<{ usage: Usage; exact: boolean }>
  /** The request as history keeps it: media replaced by digest and size. */
  redact(input: Input): JsonValue
}

/** A sale that is answered while its client waits. */
export interface PaidEndpoint<Input, Prepared> extends Sale<Input, Prepared> {
  kind: 'paid'
  /** How vendors are asked that speak a wire; the first that the vendor speaks is taken. */
  forms: readonly WireForm<Prepared>[]
  /** How vendors are asked several times at once, where none of the forms above fits. */
  fans?: readonly FanForm<Prepared>[]
  /** How others are asked. */
  language?: LanguageForm<Prepared>
}

/** A sale that is booked as a task, which outlives its request. */
export interface JobEndpoint<Input, Prepared> extends Sale<Input, Prepared> {
  kind: 'job'
  ask(prepared: Prepared): VideoAsk
  /** Whether the client wants to wait until the task is finished. */
  waits(input: Input): boolean
  /** Fields of the request that have no meaning here. */
  ignored(input: Input): readonly string[]
  encode: EncodeTask
}

/** Something that is sold. */
export type SaleEndpoint<Input, Prepared> = PaidEndpoint<Input, Prepared> | JobEndpoint<Input, Prepared>

/** What an answer shows of a task. */
export type ShownTask = Pick<
  Task,
  'id' | 'state' | 'modelId' | 'seconds' | 'createdAt' | 'expiresAt' | 'finishedAt' | 'url' | 'error' | 'chargedNano'
>

/** Writes a task as an answer. */
export type EncodeTask = (task: ShownTask) => JsonObject

/** Looks at a task of the caller's account, or ends it. Free. */
export interface TaskEndpoint {
  kind: 'task'
  name: string
  method: 'GET' | 'POST'
  docs: EndpointDocs
  does: 'show' | 'cancel'
  encode: EncodeTask
}

/** What is known of a request that only looks something up. */
export interface ReadAsk {
  /** The models that the caller may use. */
  models: readonly CatalogModel[]
  /** The path's. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  accountId: string
  ports: ReadPorts
}

/** Where lookups look, besides the catalog. */
export interface ReadPorts {
  responses: ResponseShelf
}

/** Something that is looked up, or done with what was made before, and free. */
export interface ReadEndpoint {
  kind: 'read'
  name: string
  method: 'GET' | 'DELETE' | 'POST'
  docs: EndpointDocs
  read(ask: ReadAsk): Soon<JsonValue>
}

// biome-ignore lint/suspicious/noExplicitAny: an endpoint's own types meet only inside it
export type Endpoint = SaleEndpoint<any, any> | TaskEndpoint | ReadEndpoint
