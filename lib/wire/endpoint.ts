import type { CatalogModel } from '../domain/catalog.ts'
import type { LanguageAsk, LanguagePart, LanguageSkills } from '../domain/language.ts'
import type { ModelPrice } from '../domain/price.ts'
import type { Usage } from '../domain/usage.ts'
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
  /** The request's size as it arrived: no tokenizer makes more tokens than there are bytes. */
  bodyBytes: number
  /** Counts tokens of text; slow, for the cases in which a bound by bytes is too coarse. */
  countTokens(text: string): Promise<number>
}

/** What is asked of a vendor. */
export interface Ask {
  kind: 'language'
  wire: 'openai.chat'
  body: JsonObject
  stream: boolean
}

/** A whole answer, read: what it used, and how it leaves once its cost is known. */
export interface WholeAnswer {
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
  /** Bytes that may go on to the client; may be empty. What stands before a break is still among them. */
  push(item: Item): Uint8Array
  /** Why nothing more can be read; null while all is well. */
  readonly broken: StreamBroken | null
  /** True once the vendor has said that it is done; nothing after that is read. */
  readonly done: boolean
  /** True once something that the model made has passed. */
  readonly started: boolean
  end(): StreamEnd
  /** The last bytes, sent when the charge is durable. */
  tail(usage: Usage, costNano: bigint): Uint8Array
  text(): string
  folded(): JsonValue
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

/** What an answer that we write ourselves says of itself. */
export interface AnswerHead {
  modelId: string
  requestId: string
  at: Date
  skills: LanguageSkills
}

/** How an endpoint is answered by vendors that do not speak its wire: through the AI SDK's words. */
export interface LanguageForm<Prepared> {
  /** Throws the 400 that names what a vendor with these skills cannot be given. Nothing was charged yet. */
  ask(prepared: Prepared, skills: LanguageSkills): LanguageAsk
  whole(parts: readonly LanguagePart[], prepared: Prepared, head: AnswerHead): WholeAnswer
  tap(prepared: Prepared, head: AnswerHead): StreamTap<LanguagePart>
}

/** Something that is sold: its request, the bound that sizes its hold, and its answer. */
export interface PaidEndpoint<Input, Prepared> {
  kind: 'paid'
  /** As it stands in usage records. */
  name: string
  method: 'POST'
  modality: string
  parse(body: JsonObject): Input
  modelOf(input: Input): string
  streamed(input: Input): boolean
  prepare(input: Input, ports: PreparePorts): Promise<Prepared>
  /** `freeNano` is the account's free money; `price` the one that is pinned for this request. */
  bound(
    prepared: Prepared,
    ports: PreparePorts,
    price: ModelPrice,
    multiplierBp: bigint,
    freeNano: bigint,
    overhead: number,
  ): Bound
  ask(prepared: Prepared): Ask
  /** A request's text, for counting where the vendor reports no usage. */
  text(prepared: Prepared): string
  whole(bytes: Buffer, prepared: Prepared, modelId: string): WholeAnswer
  tap(prepared: Prepared, modelId: string): StreamTap
  language?: LanguageForm<Prepared>
  /** The request as history keeps it: media replaced by digest and size. */
  redact(input: Input): JsonValue
}

/** Something that is looked up, and free. */
export interface ReadEndpoint {
  kind: 'read'
  name: string
  method: 'GET'
  /** Answers from the models the caller may use. `params` are the path's. */
  read(models: readonly CatalogModel[], params: Readonly<Record<string, string>>): JsonValue
}

// biome-ignore lint/suspicious/noExplicitAny: an endpoint's own types meet only inside it
export type Endpoint = PaidEndpoint<any, any> | ReadEndpoint
