import type { z } from 'zod'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Condition } from '../domain/errors.ts'
import type { Form, Upload } from '../domain/form.ts'
import type { ModelPrice } from '../domain/price.ts'
import type { Soon } from '../domain/soon.ts'
import type { ResponseShelf } from '../domain/stored-response.ts'
import type { Task, VideoAsk } from '../domain/task.ts'
import type { Usage } from '../domain/usage.ts'
import type { WireId } from '../domain/wire-id.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { FanForm, LanguageForm, WireForm } from './vendor-form.ts'

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
  /** The request's size as it arrived, without files; token-bound.ts says how many tokens that can be. */
  bodyBytes: number
  /** Whether a vendor of the model is asked in this wire. */
  speaks(wire: WireId): boolean
  /** Counts tokens of text; slow, for the cases in which a bound by bytes is too coarse. */
  countTokens(text: string): Promise<number>
  /** The text of tokens in the encoding of OpenAI's models of completions and of vectors (cl100k_base); null where they are none. */
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
export type BodyRules =
  | { kind: 'json' }
  | {
      kind: 'form'
      files: Readonly<Record<string, FileRule>>
      /** Where its body may be JSON too: which field has the files of a name, each as `{"image_url": "data:..."}`. */
      inJson?: Readonly<Record<string, string>>
    }

/** What answers are, by their media type: the shape of JSON, or of one event of a stream; null for what is no JSON. */
export type Answers = Readonly<Record<string, z.ZodType | null>>

/** How documentation tells of an endpoint. */
export interface EndpointDocs {
  summary: string
  description?: string
  /** What may stand in the query of its address. */
  query?: z.ZodObject
  answers: Answers
  /** How it can refuse besides what every endpoint of its kind can. */
  refusals?: readonly Condition[]
}

/** Tokens of input that no text shows, by the unit that they are billed in. */
export interface Unseen {
  input: number
  audio: number
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
  /**
   * Whether a stream's words tell too little of what the vendor bills: it runs on when its client leaves, as whole answers
   * do, and is charged by the vendor's own count.
   */
  runsOn?(prepared: Prepared): boolean
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
  /** Tokens of what it carries besides text, about; where no size tells them, as many as are held for. */
  unseen?(prepared: Prepared): Unseen
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
  /** redact() replaces inline media and changes nothing else: what has none may be kept as it came. */
  keptAsItCame?: true
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
  /**
   * A server or a model that is called in the wires above may not have this endpoint. Any 4xx about the request, and 404, 405 and
   * 501, then say nothing about the deployment's health, and another deployment is tried.
   */
  mayLack?: true
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
