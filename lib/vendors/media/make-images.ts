import type { ImageModelV4, ImageModelV4CallOptions, ImageModelV4File, ImageModelV4Result } from '@ai-sdk/provider'
import { filesOf, type Upload, valuesOf } from '../../domain/form.ts'
import type { Fields, ForwardCall } from '../vendor.ts'
import { type Made, type NewModels, unusedFields, warnedFields } from './made.ts'
import type { MediaDialect } from './media-dialect.ts'
import { addressIn } from './media-gate.ts'

const SIZE = /^(\d{1,5})x(\d{1,5})$/
const MOST_IMAGES = 10
/** The proportions that vendors without sizes know. */
const PROPORTIONS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const

/** What all requests for images have in common. */
interface Asked {
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
  { prompt, size, seed, files, mask }: Asked,
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
async function mostAtOnce({ maxImagesPerCall, modelId }: ImageModelV4): Promise<number> {
  const most = typeof maxImagesPerCall === 'function' ? await maxImagesPerCall({ modelId }) : maxImagesPerCall
  return Math.max(1, most ?? 1)
}

/** Sends as many requests as are needed. If some fail, the other images are kept. If all fail, throws the first failure. */
async function make(models: NewModels, asked: Asked, call: ForwardCall, dialect: MediaDialect, unused: string[]): Promise<Made> {
  const modelOf = (): ImageModelV4 => {
    const model = models().image?.(call.deployment.upstreamModel)
    if (!model) throw new Error('the package has no image models')
    return model
  }
  const each = Math.min(await mostAtOnce(modelOf()), asked.images)
  const counts = Array.from({ length: Math.ceil(asked.images / each) }, (_, at) => Math.min(each, asked.images - at * each))
  const results = await Promise.allSettled(
    counts.map((count) => modelOf().doGenerate(optionsOf(asked, count, dialect, call.signal))),
  )
  const made = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failure = results.find((one) => one.status === 'rejected')
  if (made.length === 0) throw failure?.reason
  const warned = warnedFields(
    made.flatMap(({ warnings }) => warnings),
    { aspectRatio: 'size' },
  )
  const answer = { created: Math.floor(Date.now() / 1000), data: made.flatMap(itemsOf), ...usageOf(made) }
  return {
    type: 'application/json',
    body: Buffer.from(JSON.stringify(answer)),
    ignored: [...new Set([...unused, ...warned])],
  }
}

const itemsOf = ({ images }: ImageModelV4Result): object[] =>
  (images as (string | Uint8Array)[]).map((image) => {
    if (typeof image === 'string') return { b64_json: image }
    const url = addressIn(image)
    return url === null ? { b64_json: Buffer.from(image).toString('base64') } : { url }
  })

/** The token usage; empty if a result does not report it. */
function usageOf(made: readonly ImageModelV4Result[]): object {
  let [input, output] = [0, 0]
  for (const { usage } of made) {
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

const askedOf = (fields: Fields, files: ImageModelV4File[], mask: ImageModelV4File | null): Asked => ({
  prompt: String(fields.prompt ?? ''),
  images: Math.min(MOST_IMAGES, Math.max(1, numberOf(fields.n) ?? 1)),
  size: typeof fields.size === 'string' ? fields.size : null,
  seed: numberOf(fields.seed),
  files,
  mask,
})

/** The fields that are passed on, or that the gateway handles itself. */
const USED = ['model', 'prompt', 'n', 'size', 'seed', 'response_format', 'stream', 'user', 'image', 'mask']

/** Makes images from a text. */
export const makeImages = (models: NewModels, call: ForwardCall, dialect: MediaDialect): Promise<Made> =>
  make(models, askedOf(call.body, [], null), call, dialect, unusedFields(call.body, USED))

async function fileOf(upload: Upload): Promise<ImageModelV4File> {
  const chunks: Uint8Array[] = []
  for await (const chunk of upload.read()) chunks.push(chunk)
  return { type: 'file', mediaType: upload.type, data: Buffer.concat(chunks) }
}

/** Makes images from a text and other images. */
export async function editImages(models: NewModels, call: ForwardCall, dialect: MediaDialect): Promise<Made> {
  const form = call.form ?? { parts: [] }
  const names = new Set(form.parts.flatMap((part) => ('value' in part ? [part.name] : [])))
  const fields = Object.fromEntries([...names].map((name) => [name, valuesOf(form, name)[0]]))
  const [mask] = await Promise.all(filesOf(form, 'mask').map(fileOf))
  const files = await Promise.all(filesOf(form, 'image').map(fileOf))
  return await make(models, askedOf(fields, files, mask ?? null), call, dialect, unusedFields(fields, USED))
}
