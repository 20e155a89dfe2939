import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { mapConcurrently } from '../../domain/map-concurrently.ts'
import type { ForwardCall } from '../vendor.ts'
import type { MediaDialect } from './media-dialect.ts'
import { type CreateModels, type MediaResult, unusedFields, warnedFields } from './media-result.ts'

async function maxValuesPerCall({ maxEmbeddingsPerCall }: EmbeddingModelV4): Promise<number> {
  return Math.max(1, (await maxEmbeddingsPerCall) ?? 100)
}

/** How many parts of a long list are requested at once, if the vendor supports that. A larger burst would hit its rate limits. */
const MAX_PARALLEL_CALLS = 4

/** Makes embeddings of texts, with as many requests as the vendor needs. */
export async function embed(
  models: CreateModels,
  { body, deployment, signal }: ForwardCall,
  dialect: MediaDialect,
): Promise<MediaResult> {
  const modelOf = (): EmbeddingModelV4 => {
    const model = models().embedding?.(deployment.upstreamModel)
    if (!model) throw new Error('the package has no embedding models')
    return model
  }
  const values = [body.input].flat().map(String)
  const { dimensions, input_type: inputType } = body
  const requested = {
    dimensions: typeof dimensions === 'number' ? dimensions : null,
    inputType: typeof inputType === 'string' ? inputType : null,
  }
  const providerOptions = dialect.embedding?.(requested) ?? {}
  const known = modelOf()
  const each = await maxValuesPerCall(known)
  const concurrency = (await known.supportsParallelCalls) ? MAX_PARALLEL_CALLS : 1
  const parts = Array.from({ length: Math.ceil(values.length / each) }, (_, at) => values.slice(at * each, (at + 1) * each))
  // If one part fails, the others are aborted, because nobody pays for them.
  const controller = new AbortController()
  const abortSignal = AbortSignal.any([signal, controller.signal])
  const results = await mapConcurrently(parts, concurrency, (part) =>
    modelOf().doEmbed({ values: part, providerOptions, abortSignal }),
  ).catch((error: unknown) => {
    controller.abort()
    throw error
  })
  const data = results
    .flatMap(({ embeddings }) => embeddings)
    .map((embedding, index) => ({ object: 'embedding', index, embedding }))
  const hasUsage = results.every(({ usage }) => usage !== undefined)
  const tokens = results.reduce((sum, { usage }) => sum + (usage?.tokens ?? 0), 0)
  const answer = {
    object: 'list',
    data,
    model: deployment.upstreamModel,
    ...(hasUsage ? { usage: { prompt_tokens: tokens, total_tokens: tokens } } : {}),
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
