import type { CatalogModel } from '../domain/catalog.ts'
import { Refusal, refuseField } from '../domain/errors.ts'
import { NO_USAGE } from '../domain/usage.ts'
import { readEmbeddings } from './embeddings/answer.ts'
import { type EmbeddingsBody, embeddingsSchema } from './embeddings/schema.ts'
import { embeddingsAnswer } from './embeddings/shape.ts'
import type { Bound, PaidEndpoint, PreparePorts } from './endpoint.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { parseWith } from './schema.ts'
import { checkContext, countableText, decodeTexts, itemPath, itemsOf, maxItemTokens, type TextItem } from './text-input.ts'
import type { WireForm } from './vendor-form.ts'

/** Models put marks around each text. */
const MARKS_PER_ITEM = 4
/** The bytes of a number in an answer, with the comma and the white space that some vendors put around it. */
const BYTES_PER_NUMBER = 24
/** An answer that would be longer is requested in base64, which takes a quarter of that. */
const MAX_FLOAT_BYTES = 32 * 1024 * 1024

/** The wire of vendors that do not take OpenAI's tokens. */
const TEXTS_ONLY_WIRE = 'openai.embeddings-of-texts'

interface PreparedEmbeddings {
  body: EmbeddingsBody
  items: TextItem[]
  /** The items as texts, if a vendor needs them; null for tokens that are not text. */
  texts: (string | null)[]
  /** The maximum number of input tokens. */
  inputBound: number
  /** The format that the vendor is asked for; null if the client named none. */
  asked: 'float' | 'base64' | null
}

function checkDimensions({ dimensions }: EmbeddingsBody, { facts }: CatalogModel): void {
  if (dimensions == null || facts.dimensions === undefined) return
  const param = { param: 'dimensions' }
  if (!facts.shortens)
    throw new Refusal(
      'invalid_request',
      `This model always answers with ${facts.dimensions} dimensions. Leave "dimensions" out.`,
      param,
    )
  if (dimensions > facts.dimensions)
    throw new Refusal(
      'invalid_request',
      `This model answers with at most ${facts.dimensions} dimensions; you asked for ${dimensions}. Ask for fewer.`,
      param,
    )
}

async function prepare(body: EmbeddingsBody, ports: PreparePorts): Promise<PreparedEmbeddings> {
  const { model } = ports
  const items = itemsOf(body.input)
  const maxInputs = model.facts.inputs
  if (maxInputs !== undefined && items.length > maxInputs)
    throw refuseField(
      'input',
      `This model takes at most ${maxInputs} texts per request; you sent ${items.length}. Send them in parts.`,
    )
  checkDimensions(body, model)
  const limits = await checkContext('input', body.input, ports)
  const texts = ports.supportsWire(TEXTS_ONLY_WIRE) ? await decodeTexts('input', body.input, ports) : []
  const inputBound = items.reduce((sum, item, at) => {
    const limit = limits[at] ?? model.contextWindow
    const text = texts[at] ?? item
    // Its vendor counts a text in tokens of its own.
    const maxTokens = Math.max(maxItemTokens(item, limit), text === item ? 0 : maxItemTokens(text, limit))
    return sum + Math.min(maxTokens + MARKS_PER_ITEM, limit)
  }, 0)
  const numbers = items.length * (body.dimensions ?? model.facts.dimensions ?? 0)
  const asked = numbers * BYTES_PER_NUMBER > MAX_FLOAT_BYTES ? 'base64' : (body.encoding_format ?? null)
  return { body, items, texts, inputBound, asked }
}

/** The request in the format that the client named, or in a shorter one. */
const requestWith = ({ body, asked }: PreparedEmbeddings, input: EmbeddingsBody['input']): JsonObject =>
  ({ ...body, input, ...(asked === null ? {} : { encoding_format: asked }) }) as JsonObject

function checkAllDecoded({ body, texts }: PreparedEmbeddings): void {
  const undecodedIndex = texts.indexOf(null)
  if (undecodedIndex < 0) return
  throw refuseField(
    itemPath('input', body.input, undecodedIndex),
    "The model's vendor uses its own tokens, and these are not text in the encoding cl100k_base. Send the text itself.",
  )
}

const readNonStreaming: WireForm<PreparedEmbeddings>['readNonStreaming'] = (bytes, { body, items }, { modelId }) =>
  readEmbeddings(bytes, { modelId, format: body.encoding_format ?? 'float', count: items.length })

/** POST /v1/embeddings. Specification 4.3; OpenAI API 2.3.0. */
export const embeddings: PaidEndpoint<EmbeddingsBody, PreparedEmbeddings> = {
  kind: 'paid',
  name: 'embeddings',
  method: 'POST',
  docs: {
    summary: 'Create embeddings',
    description: 'Returns one vector for each text, in the requested format, whatever format the vendor uses.',
    answers: { 'application/json': embeddingsAnswer },
  },
  modalities: ['embedding'],
  body: { kind: 'json' },
  request: embeddingsSchema,
  parse: (body) => parseWith(embeddingsSchema, body),
  modelOf: (body) => body.model,
  isStreamed: () => false,
  prepare,
  bound({ inputBound }, _ports, _price, _multiplierBp, _freeNano, overhead): Bound {
    return { cap: 0, choices: 1, usage: { ...NO_USAGE, input: BigInt(inputBound + overhead), requests: 1n } }
  },
  text: ({ items }) => countableText(items),
  forms: [
    { wire: 'openai.embeddings', ask: (prepared) => ({ json: requestWith(prepared, prepared.body.input) }), readNonStreaming },
    {
      wire: TEXTS_ONLY_WIRE,
      check: checkAllDecoded,
      ask: (prepared) => ({ json: requestWith(prepared, prepared.texts as string[]) }),
      readNonStreaming,
    },
  ],
  redact: (body) => body as JsonValue,
  storesBodyVerbatim: true,
}
