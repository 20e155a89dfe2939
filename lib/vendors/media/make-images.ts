import type { ImageModelV4, ImageModelV4CallOptions, ImageModelV4File, ImageModelV4Result } from '@ai-sdk/provider'
import { filesOf, type Upload, valuesOf } from '../../domain/form.ts'
import type { Fields, ForwardCall } from '../vendor.ts'
import type { MediaDialect } from './media-dialect.ts'
import { resultUrlIn } from './media-gate.ts'
import { type CreateModels, type MediaResult, unusedFields, warnedFields } from './media-result.ts'

const SIZE = /^(\d{1,5})x(\d{1,5})$/
const MAX_IMAGES = 10
/** The proportions that vendors without sizes know. */
const PROPORTIONS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const

/** What all requests for images have in common. */
interface ImageRequest {
  prompt: string
  images: number
  size: string | null
  seed: number | null
  files: ImageModelV4File[]
  mask: ImageModelV4File | null
}

/** The proportion that is closest to a size. */
function proportionOf(width: number, height: number): (typeof PROPORTIONS)[number] {
  const distance = (name: string): number => {
    const [across = 1, down = 1] = name.split(':').map(Number)
    return Math.abs(Math.log(across / down) - Math.log(width / height))
  }
  return PROPORTIONS.reduce((best, name) => (distance(name) < distance(best) ? name : best))
}

function optionsOf(
  { prompt, size, seed, files, mask }: ImageRequest,
  images: number,
  { image }: MediaDialect,
  abortSignal: AbortSignal,
) {
  const [, width, height] = SIZE.exec(size ?? '') ?? []
  const sized = width !== undefined && height !== undefined
  const options: ImageModelV4CallOptions = {
    prompt,
    n: images,
    size: sized && image?.by === 'size' ? `${Number(width)}x${Number(height)}` : undefined,
    aspectRatio: sized && image?.by === 'proportion' ? proportionOf(Number(width), Number(height)) : undefined,
    seed: seed ?? undefined,
    files: files.length > 0 ? files : undefined,
    mask: mask ?? undefined,
    providerOptions: image?.options ?? {},
    abortSignal,
  }
  return options
}

/** How many images one request can make, according to the package. */
async function maxPerCall({ maxImagesPerCall, modelId }: ImageModelV4): Promise<number> {
  const limit = typeof maxImagesPerCall === 'function' ? await maxImagesPerCall({ modelId }) : maxImagesPerCall
  return Math.max(1, limit ?? 1)
}

/** Sends as many requests as are needed. If some fail, the other images are kept. If all fail, throws the first failure. */
async function generateImages(
  models: CreateModels,
  request: ImageRequest,
  call: ForwardCall,
  dialect: MediaDialect,
  unused: string[],
): Promise<MediaResult> {
  const modelOf = (): ImageModelV4 => {
    const model = models().image?.(call.deployment.upstreamModel)
    if (!model) throw new Error('the package has no image models')
    return model
  }
  const each = Math.min(await maxPerCall(modelOf()), request.images)
  const counts = Array.from({ length: Math.ceil(request.images / each) }, (_, at) => Math.min(each, request.images - at * each))
  const results = await Promise.allSettled(
    counts.map((count) => modelOf().doGenerate(optionsOf(request, count, dialect, call.signal))),
  )
  const succeeded = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failure = results.find((one) => one.status === 'rejected')
  if (succeeded.length === 0) throw failure?.reason
  const warned = warnedFields(
    succeeded.flatMap(({ warnings }) => warnings),
    { aspectRatio: 'size' },
  )
  const answer = { created: Math.floor(Date.now() / 1000), data: succeeded.flatMap(itemsOf), ...usageOf(succeeded) }
  return {
    type: 'application/json',
    body: Buffer.from(JSON.stringify(answer)),
    ignored: [...new Set([...unused, ...warned])],
  }
}

const itemsOf = ({ images }: ImageModelV4Result): object[] =>
  (images as (string | Uint8Array)[]).map((image) => {
    if (typeof image === 'string') return { b64_json: image }
    const url = resultUrlIn(image)
    return url === null ? { b64_json: Buffer.from(image).toString('base64') } : { url }
  })

/** The token usage; empty if a result does not report it. */
function usageOf(results: readonly ImageModelV4Result[]): object {
  let [input, output] = [0, 0]
  for (const { usage } of results) {
    if (usage?.inputTokens === undefined || usage.outputTokens === undefined) return {}
    input += usage.inputTokens
    output += usage.outputTokens
  }
  return { usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } }
}

const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) ? number : null
}

const imageRequestOf = (fields: Fields, files: ImageModelV4File[], mask: ImageModelV4File | null): ImageRequest => ({
  prompt: String(fields.prompt ?? ''),
  images: Math.min(MAX_IMAGES, Math.max(1, numberOf(fields.n) ?? 1)),
  size: typeof fields.size === 'string' ? fields.size : null,
  seed: numberOf(fields.seed),
  files,
  mask,
})

/** The fields that are passed on, or that the gateway handles itself. */
const USED = ['model', 'prompt', 'n', 'size', 'seed', 'response_format', 'stream', 'user', 'image', 'mask']

/** Makes images from a text. */
export const makeImages = (models: CreateModels, call: ForwardCall, dialect: MediaDialect): Promise<MediaResult> =>
  generateImages(models, imageRequestOf(call.body, [], null), call, dialect, unusedFields(call.body, USED))

async function fileOf(upload: Upload): Promise<ImageModelV4File> {
  const chunks: Uint8Array[] = []
  for await (const chunk of upload.read()) chunks.push(chunk)
  return { type: 'file', mediaType: upload.type, data: Buffer.concat(chunks) }
}

/** Makes images from a text and other images. */
export async function editImages(models: CreateModels, call: ForwardCall, dialect: MediaDialect): Promise<MediaResult> {
  const form = call.form ?? { parts: [] }
  const names = new Set(form.parts.flatMap((part) => ('value' in part ? [part.name] : [])))
  const fields = Object.fromEntries([...names].map((name) => [name, valuesOf(form, name)[0]]))
  const [mask] = await Promise.all(filesOf(form, 'mask').map(fileOf))
  const files = await Promise.all(filesOf(form, 'image').map(fileOf))
  return await generateImages(models, imageRequestOf(fields, files, mask ?? null), call, dialect, unusedFields(fields, USED))
}
