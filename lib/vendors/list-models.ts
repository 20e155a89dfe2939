import { type Dispatcher, request } from 'undici'
import { fieldIn } from '../domain/field-in.ts'
import type { ListedModel } from '../domain/listed-model.ts'
import { formatStoredText, type StoredText } from '../domain/stored-text.ts'
import { vendorKind } from '../domain/vendor-kind-list.ts'
import { CERTIFICATE_CODE, TIMEOUT_CODES } from './http-failure.ts'
import type { Fields } from './vendor.ts'

const MAX_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 10_000
/** What is larger is no number of tokens. */
const MAX_LISTED_TOKENS = 100_000_000
/** Google's names begin with what they are. */
const GOOGLE_PREFIX = /^models\//

/** How a kind of vendor is asked for its models. */
interface Question {
  /** The path of its list, after its base URL. One page has to be enough. */
  path: string
  headers(secret: string): Record<string, string>
  /** The field of a model with its name. */
  name: string
  /** The models in its answer; null if the answer has another form. */
  models(list: unknown): Fields[] | null
}

const asItems = (found: unknown): Fields[] | null => (Array.isArray(found) ? found.map((item) => (item ?? {}) as Fields) : null)

/** Where lists say how large a context is: the server's own setting first, as vLLM and llama.cpp name it. */
const CONTEXT_FIELDS = ['max_model_len', 'context_window', 'context_length', 'max_context_length', 'n_ctx', 'n_ctx_train']
const OUTPUT_FIELDS = ['max_completion_tokens', 'max_output_tokens']
/** Objects in a model that can hold those fields: llama.cpp, DeepInfra, OpenRouter. */
const NESTED_FIELDS = ['meta', 'metadata', 'top_provider']

/** The first of these fields that is a number of tokens. */
function tokensIn(model: Fields, fields: readonly string[]): number | null {
  for (const holder of [model, ...NESTED_FIELDS.map((name) => model[name])])
    for (const field of fields) {
      const tokens = fieldIn(holder, field)
      if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 && tokens <= MAX_LISTED_TOKENS) return tokens
    }
  return null
}

/** Nano-dollars per million tokens, for dollars per token. */
const NANO_PER_MILLION = 1e15

/** What a list says about images that a model makes in chats: OpenRouter's, and LiteLLM's own fields. */
function imagesIn(model: Fields): Pick<ListedModel, 'makesImages' | 'imageOutputRate'> {
  const outputs = fieldIn(model.architecture, 'output_modalities')
  const info = model.model_info ?? model
  const stated = fieldIn(model.pricing, 'image_output') ?? fieldIn(info, 'output_cost_per_image_token')
  const dollars = typeof stated === 'string' && stated.trim() !== '' ? Number(stated) : stated
  const rate = typeof dollars === 'number' && dollars > 0 ? Math.round(dollars * NANO_PER_MILLION) : 0
  return {
    ...(Array.isArray(outputs) && outputs.includes('image') ? { makesImages: true } : {}),
    ...(rate > 0 && Number.isSafeInteger(rate) ? { imageOutputRate: BigInt(rate) } : {}),
  }
}

const OPENAI: Question = {
  path: '/models',
  headers: (secret) => ({ authorization: `Bearer ${secret}` }),
  name: 'id',
  models: (list) => asItems(fieldIn(list, 'data')),
}

/** By kind of connection. */
const QUESTIONS: Record<string, Question> = {
  anthropic: {
    path: '/models?limit=1000',
    headers: (secret) => ({ 'x-api-key': secret, 'anthropic-version': '2023-06-01' }),
    name: 'id',
    models: OPENAI.models,
  },
  // It sends a bare list, without an object around it.
  together: { ...OPENAI, models: (list) => asItems(list) ?? OPENAI.models(list) },
  google: {
    path: '/models?pageSize=1000',
    headers: (secret) => ({ 'x-goog-api-key': secret }),
    name: 'name',
    models: (list) => asItems(fieldIn(list, 'models')),
  },
}

/** Why a vendor could not be asked. */
export type VendorQueryFault =
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'credentials'
  | 'forbidden'
  | 'path'
  | 'limited'
  | 'vendor'
  | 'unreadable'
  | 'proxy'
  | 'unlisted'

/** What a vendor is asked for. */
type QueryKind = 'models' | 'balance'

/** A vendor could not be asked. The message is for a person, and is shown after the vendor's name. */
export class VendorQueryFailure extends Error {
  declare readonly message: StoredText
  readonly fault: VendorQueryFault
  constructor(fault: VendorQueryFault, message: StoredText) {
    super(message)
    this.fault = fault
  }
}

const REFUSED = new Set(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'])
const SSL_CODE = /^(ERR_SSL|EPROTO)/

function connectionFailure(error: unknown): VendorQueryFailure {
  const { code, name, message, cause } = (error ?? {}) as {
    code?: unknown
    name?: unknown
    message?: unknown
    cause?: { code?: unknown }
  }
  const text = String(code ?? cause?.code ?? 'no answer')
  const description = formatStoredText('unreached', { code: text })
  if (text === 'ENOTFOUND' || text === 'EAI_AGAIN') return new VendorQueryFailure('dns', description)
  // undici's own errors for a proxy that wants other credentials, and for one that opens no tunnel.
  const proxied = text === 'UND_ERR_ABORTED' || (text === 'UND_ERR_INVALID_ARG' && String(message).includes('(407)'))
  if (proxied) return new VendorQueryFailure('proxy', 'its proxy refused the connection')
  if (TIMEOUT_CODES.has(text) || name === 'TimeoutError') return new VendorQueryFailure('timeout', description)
  if (CERTIFICATE_CODE.test(text) || SSL_CODE.test(text)) return new VendorQueryFailure('tls', description)
  return new VendorQueryFailure(REFUSED.has(text) ? 'refused' : 'unreachable', description)
}

function statusFailure(status: number, what: QueryKind): VendorQueryFailure | null {
  if (status === 200) return null
  const description = formatStoredText(what === 'models' ? 'modelsAnswered' : 'balanceAnswered', { status })
  if (status === 401) return new VendorQueryFailure('credentials', 'it does not accept the API key')
  if (status === 403) return new VendorQueryFailure('forbidden', 'it does not accept the API key')
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) return new VendorQueryFailure('path', description)
  if (status === 407) return new VendorQueryFailure('proxy', 'its proxy refused the connection')
  // This is how Google answers to a wrong key.
  if (status === 400) return new VendorQueryFailure('credentials', description)
  return new VendorQueryFailure(status === 429 ? 'limited' : 'vendor', description)
}

interface RequestOptions {
  dispatcher?: Dispatcher
  headers?: Record<string, string>
}

/** Asks a vendor which models it has: each name once. Throws a VendorQueryFailure that says what went wrong. */
export async function listModels(
  baseUrl: string,
  secret: string | null,
  kind = 'openai',
  { dispatcher, headers }: RequestOptions = {},
): Promise<ListedModel[]> {
  if (vendorKind(kind)?.listsModels === false)
    throw new VendorQueryFailure('unlisted', 'it does not list its models: name those that you want')
  const question = QUESTIONS[kind] ?? OPENAI
  const url = `${baseUrl.replace(/\/+$/, '')}${question.path}`
  const requestHeaders = { ...headers, ...(secret === null ? {} : question.headers(secret)) }
  const models = question.models(await askVendor(url, requestHeaders, 'models', dispatcher))
  if (models === null) throw new VendorQueryFailure('unreadable', "its list of models is not in OpenAI's format")
  const byName = new Map<string, ListedModel>()
  for (const model of models) {
    const listed = model[question.name]
    if (typeof listed !== 'string' || listed.length === 0 || listed.length > 200) continue
    const name = listed.replace(GOOGLE_PREFIX, '')
    const sizes = { contextWindow: tokensIn(model, CONTEXT_FIELDS), maxOutput: tokensIn(model, OUTPUT_FIELDS) }
    byName.set(name, { name, ...sizes, ...imagesIn(model) })
  }
  return [...byName.values()]
}

/**
 * Asks a vendor something that costs nothing, and follows no redirects. `what` is what it is asked for. Returns the JSON of the
 * answer. Throws a VendorQueryFailure that says what went wrong.
 */
export async function askVendor(
  url: string,
  headers: Record<string, string>,
  what: QueryKind,
  dispatcher?: Dispatcher,
): Promise<unknown> {
  const { statusCode, body } = await request(url, {
    headers: { accept: 'application/json', ...headers },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(dispatcher ? { dispatcher } : {}),
  }).catch((error: unknown) => {
    throw connectionFailure(error)
  })
  return await readAnswer(statusCode, body, what)
}

async function readAnswer(status: number, body: AsyncIterable<unknown>, what: QueryKind): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length
      if (bytes > MAX_BYTES) throw new VendorQueryFailure('unreadable', 'its answer is too long')
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    throw error instanceof VendorQueryFailure ? error : connectionFailure(error)
  }
  const failure = statusFailure(status, what)
  if (failure) throw failure
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new VendorQueryFailure('unreadable', 'its answer is not JSON; does the address end in its version, such as /v1?')
  }
}
