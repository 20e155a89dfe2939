import type { z } from 'zod'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Condition } from '../domain/errors.ts'
import type { Form, Upload } from '../domain/form.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import type { ModelPrice } from '../domain/price.ts'
import type { ResponseStore } from '../domain/stored-response.ts'
import type { Task, VideoAsk } from '../domain/task.ts'
import type { Usage } from '../domain/usage.ts'
import type { WireId } from '../domain/wire-id.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { FanOutForm, LanguageForm, WireForm } from './vendor-form.ts'

/** The most that a request can use, which sizes its hold. `cap` is the output of one choice, sent to the vendor. */
export interface Bound {
  usage: Usage
  cap: number
  choices: number
}

/** What an endpoint can use while it prepares and bounds a request. */
export interface PreparePorts {
  model: CatalogModel
  /** The price that is pinned for this request. */
  price: ModelPrice
  accountId: string
  keepHistory: boolean
  responses: ResponseStore
  /** The request's size as it arrived, without files. token-bound.ts says how many tokens that can be. */
  bodyBytes: number
  /** Whether a vendor of the model is asked in this wire. */
  supportsWire(wire: WireId): boolean
  /** Counts the tokens of a text. Slow, so it is for cases in which a bound by bytes is too coarse. */
  countTokens(text: string): Promise<number>
  /**
   * The text of tokens in cl100k_base, the encoding of OpenAI's models for completions and embeddings; null if they are not text.
   */
  decodeTokens(tokens: readonly number[]): Promise<string | null>
  /** The length of a sound in seconds, read from its data; null if it is not a sound. */
  audioSeconds(file: Upload): Promise<number | null>
}

/** The rules for the files of a form that have one name. */
export interface FileRule {
  /** How many files of that name there may be at most and, if any are required, at least. */
  maxCount: number
  minCount?: number
  maxBytes: number
  /** The media types that the content may have, such as `image/png` and `audio/*`. */
  types: readonly string[]
}

/** What a request's body is, and what is checked while it arrives. */
export type BodyRules =
  | { kind: 'json' }
  | {
      kind: 'form'
      files: Readonly<Record<string, FileRule>>
      /** If the body may be JSON too: the field that has the files of each name, each file as `{"image_url": "data:..."}`. */
      jsonFields?: Readonly<Record<string, string>>
    }

/** The answers by media type: the shape of the JSON or of one event of a stream, or null if it is not JSON. */
export type Answers = Readonly<Record<string, z.ZodType | null>>

/** How the documentation describes an endpoint. */
export interface EndpointDocs {
  summary: string
  description?: string
  /** The query parameters of its address. */
  query?: z.ZodObject
  answers: Answers
  /** How it can refuse, besides the ways that every endpoint of its kind has. */
  refusals?: readonly Condition[]
}

/** Input tokens that no text shows, by the unit that they are billed in. */
export interface NonTextTokens {
  input: number
  audio: number
}

/** Something that is sold: its request, and the bound that sizes its hold. */
interface BillableBase<Input, Prepared> {
  /** The name in usage records. */
  name: string
  method: 'POST'
  docs: EndpointDocs
  /** The kinds of models that answer here. */
  modalities: readonly string[]
  body: BodyRules
  /** The request as the documentation shows it: the schema that parses it. */
  request: z.ZodType
  parse(body: JsonObject | Form): Input
  modelOf(input: Input): string
  isStreamed(input: Input): boolean
  /**
   * Whether a stream's text says too little about what the vendor bills. Such a request continues if its client disconnects, as
   * non-streaming answers do, and is charged by the vendor's own count.
   */
  continuesAfterDisconnect?(prepared: Prepared): boolean
  prepare(input: Input, ports: PreparePorts): MaybePromise<Prepared>
  /** `freeNano` is the account's free money, and `price` the one that is pinned for this request. */
  bound(
    prepared: Prepared,
    ports: PreparePorts,
    price: ModelPrice,
    multiplierBp: bigint,
    freeNano: bigint,
    overhead: number,
  ): Bound
  /** A request's text, for counting if the vendor reports no usage. */
  text(prepared: Prepared): string
  /** The estimated tokens of what the request carries besides text. If no size gives an estimate, as many as are held for. */
  nonTextTokens?(prepared: Prepared): NonTextTokens
  /**
   * What was used if the answer does not say so, because it reported nothing, broke off or was abandoned. Never more than the
   * bound. If this is absent, tokens of text are counted. `exact` if that much is known without an answer.
   */
  estimate?(
    prepared: Prepared,
    countTokens: PreparePorts['countTokens'],
    /** The text that was generated. */
    output: () => string,
  ): Promise<{ usage: Usage; exact: boolean }>
  /** The request as history stores it: media are replaced by digest and size. */
  redact(input: Input): JsonValue
  /** redact() replaces inline media and changes nothing else, so a request without media may be stored as it arrived. */
  storesBodyVerbatim?: true
}

/** A sale that is answered while its client waits. */
export interface PaidEndpoint<Input, Prepared> extends BillableBase<Input, Prepared> {
  kind: 'paid'
  /** How vendors that speak a wire are asked. The first form whose wire the vendor speaks is used. */
  forms: readonly WireForm<Prepared>[]
  /** How vendors are asked several times at once, if none of the forms above fits. */
  fanOutForms?: readonly FanOutForm<Prepared>[]
  /** How all other vendors are asked. */
  language?: LanguageForm<Prepared>
  /**
   * A server or a model that is called in the wires above may not have this endpoint. Any 4xx about the request, and 404, 405 and
   * 501, then say nothing about the deployment's health, and another deployment is tried.
   */
  mayBeUnsupported?: true
}

/** A sale that is booked as a task, which outlives its request. */
export interface JobEndpoint<Input, Prepared> extends BillableBase<Input, Prepared> {
  kind: 'job'
  ask(prepared: Prepared): VideoAsk
  /** Whether the client wants to wait until the task is finished. */
  waitsForResult(input: Input): boolean
  /** The fields of the request that have no meaning here. */
  ignoredFieldsOf(input: Input): readonly string[]
  encode: EncodeTask
}

/** Something that is sold. */
export type BillableEndpoint<Input, Prepared> = PaidEndpoint<Input, Prepared> | JobEndpoint<Input, Prepared>

/** The parts of a task that an answer shows. */
export type TaskView = Pick<
  Task,
  'id' | 'state' | 'modelId' | 'seconds' | 'createdAt' | 'expiresAt' | 'finishedAt' | 'url' | 'error' | 'chargedNano'
>

/** Writes a task as an answer. */
export type EncodeTask = (task: TaskView) => JsonObject

/** Shows or cancels a task of the caller's account. Free. */
export interface TaskEndpoint {
  kind: 'task'
  name: string
  method: 'GET' | 'POST'
  docs: EndpointDocs
  action: 'show' | 'cancel'
  encode: EncodeTask
}

/** What is known about a request that only looks something up. */
export interface ReadRequest {
  /** The models that are for sale and that the caller may use. */
  offeredModels(): readonly CatalogModel[]
  /** The one of them that a name means, as in requests. Throws the 404 if there is none, or if there are several. */
  findModel(name: string): CatalogModel
  /** The parameters of the path. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  accountId: string
  ports: ReadPorts
}

/** Where lookups search, besides the catalog. */
export interface ReadPorts {
  responses: ResponseStore
}

/** Something that is looked up, or done with what was made before. Free. */
export interface ReadEndpoint {
  kind: 'read'
  name: string
  method: 'GET' | 'DELETE' | 'POST'
  docs: EndpointDocs
  read(ask: ReadRequest): MaybePromise<JsonValue>
}

// biome-ignore lint/suspicious/noExplicitAny: an endpoint's own types meet only inside it
export type Endpoint = BillableEndpoint<any, any> | TaskEndpoint | ReadEndpoint
