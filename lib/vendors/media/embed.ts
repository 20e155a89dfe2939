import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { fewAtOnce } from '../../domain/few-at-once.ts'
import type { ForwardCall } from '../vendor.ts'
import { type Made, type NewModels, unusedFields, warnedFields } from './made.ts'
import type { MediaDialect } from './media-dialect.ts'

async function mostAtOnce({ maxEmbeddingsPerCall }: EmbeddingModelV4): Promise<number> {
  return Math.max(1, (await maxEmbeddingsPerCall) ?? 100)
}

/** How many parts of a long list are requested at once, if the vendor supports that. A larger burst would hit its rate limits. */
const PARTS_AT_ONCE = 4

/** Makes embeddings of texts, with as many requests as the vendor needs. */
export async function embed(models: NewModels, { body, deployment, signal }: ForwardCall, dialect: MediaDialect): Promise<Made> {
  const modelOf = (): EmbeddingModelV4 => {
    const model = models().embedding?.(deployment.upstreamModel)
    if (!model) throw new Error('the package has no embedding models')
    return model
  }
  const values = [body.input].flat().map(String)
  const { dimensions, input_type: inputType } = body
  const asked = {
    dimensions: typeof dimensions === 'number' ? dimensions : null,
    inputType: typeof inputType === 'string' ? inputType : null,
  }
  const providerOptions = dialect.embedding?.(asked) ?? {}
  const known = modelOf()
  const each = await mostAtOnce(known)
  const atOnce = (await known.supportsParallelCalls) ? PARTS_AT_ONCE : 1
  const parts = Array.from({ length: Math.ceil(values.length / each) }, (_, at) => values.slice(at * each, (at + 1) * each))
  // If one part fails, the others are aborted, because nobody pays for them.
  const failing = new AbortController()
  const abortSignal = AbortSignal.any([signal, failing.signal])
  const results = await fewAtOnce(parts, atOnce, (part) =>
    modelOf().doEmbed({ values: part, providerOptions, abortSignal }),
  ).catch((error: unknown) => {
    failing.abort()
    throw error
  })
  const data = results
    .flatMap(({ embeddings }) => embeddings)
    .map((embedding, index) => ({ object: 'embedding', index, embedding }))
  const told = results.every(({ usage }) => usage !== undefined)
  const tokens = results.reduce((sum, { usage }) => sum + (usage?.tokens ?? 0), 0)
  const answer = {
    object: 'list',
    data,
    model: deployment.upstreamModel,
    ...(told ? { usage: { prompt_tokens: tokens, total_tokens: tokens } } : {}),
  }
  const used = ['model', 'input', 'dimensions', 'encoding_format', 'user', ...(dialect.inputTypes ? ['input_type'] : [])]
  const warned = warnedFields(
    results.flatMap(({ warnings }) => warnings),
    {},
  )
  return {
    type: 'application/json',
    body: Buffer.from(JSON.stringify(answer)),
    ignored: [...new Set([...unusedFields(body, used), ...warned])],
  }
}
