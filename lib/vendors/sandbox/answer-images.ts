import { imageInfo } from '../../domain/image-info.ts'
import type { Forward, ForwardCall, WireAnswer } from '../vendor.ts'
import { refusalOf, refuseField, unknownModel } from './failures.ts'
import { type ImageRequest, readImageRequest } from './image-request.ts'
import type { SandboxOptions } from './options.ts'
import { checkAborted, pause, sleep as realSleep } from './pause.ts'

const STEP_MS = 150

/** The models that answer, and whether they tell size and quality, and stream, as OpenAI's newer ones do. */
const TELLING: Readonly<Record<string, boolean>> = {
  'sandbox/image': true,
  'sandbox/image-wide': false,
  'sandbox/image-small': false,
}

/** A picture of so many pixels takes four bytes for each while it is drawn, however small its file is. */
const MOST_PIXELS = 50_000_000

/** The field whose picture is none, or has too many pixels, with what is wrong; null where all is well. */
function unfitUpload({ base, mask }: ImageRequest): [field: string, message: string] | null {
  for (const [field, bytes] of [['image', base] as const, ['mask', mask] as const]) {
    const info = bytes && imageInfo(bytes)
    if (bytes && !info) return [field, `The uploaded ${field} could not be read.`]
    if (info && info.width * info.height > MOST_PIXELS)
      return [
        field,
        `The uploaded ${field} has ${info.width}x${info.height} pixels. Send one of at most ${MOST_PIXELS / 1_000_000} megapixels.`,
      ]
  }
  return null
}

/** OpenAI's newer models have other words for it. */
const QUALITY: Readonly<Record<string, string>> = { standard: 'medium', hd: 'high' }

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Draws one image. `progress` from 0 to 1 is how finished it is. */
async function draw(request: ImageRequest, index: number, progress: number): Promise<string> {
  const { renderImage } = await import('./render-image.ts')
  const { prompt, width, height, quality, format, base, mask } = request
  const bytes = await renderImage({
    prompt,
    width,
    height,
    quality,
    format,
    index,
    progress,
    ...(base ? { base } : {}),
    ...(mask ? { mask } : {}),
  })
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** How finished an image is at a step of its stream: the last one shows all of it. */
const progressOf = ({ partials }: ImageRequest, step: number): number => (step + 1) / (partials + 1)

const toldOf = ({ size, quality, format }: ImageRequest) => ({
  size,
  quality: QUALITY[quality] ?? 'auto',
  background: 'opaque',
  output_format: format,
})

/**
 * Answers requests for images and for edits of images, in base64. The same request gets the same images. Rejects, and its
 * streams throw, with VendorFailure('cut') when the call is aborted.
 */
export function answerImages(kind: 'image_generation' | 'image_edit', options: SandboxOptions): Forward {
  const { now = Date.now, sleep = realSleep, pace = 1 } = options
  const second = () => Math.floor(now() / 1000)

  /** `first` is the first image of the stream, drawn already. */
  async function* events(request: ImageRequest, first: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const event = (type: string, more: object): Buffer => {
      const data = { type: `${kind}.${type}`, ...more, created_at: second(), ...toldOf(request) }
      return Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
    }
    for (let index = 0; index < request.images; index++)
      for (let step = 0; step <= request.partials; step++) {
        await pause(sleep, STEP_MS * pace, signal)
        const b64_json = index + step === 0 ? first : await draw(request, index, progressOf(request, step))
        yield step < request.partials
          ? event('partial_image', { b64_json, partial_image_index: step })
          : event('completed', { b64_json })
      }
  }

  async function whole(request: ImageRequest, first: string, tells: boolean, signal: AbortSignal): Promise<Buffer> {
    const data: object[] = []
    for (let index = 0; index < request.images; index++) {
      await pause(sleep, STEP_MS * pace, signal)
      data.push({ b64_json: index === 0 ? first : await draw(request, index, 1) })
    }
    return Buffer.from(JSON.stringify({ created: second(), data, ...(tells ? toldOf(request) : {}) }))
  }

  return async function images(call: ForwardCall): Promise<WireAnswer> {
    const { stream, signal } = call
    const model = call.deployment.upstreamModel
    checkAborted(signal)
    const refusal = refusalOf(model)
    if (refusal) return refusal
    const tells = Object.hasOwn(TELLING, model) ? TELLING[model] : undefined
    if (tells === undefined) return unknownModel(model)
    const request = await readImageRequest(call)
    const unfit = unfitUpload(request)
    if (unfit) return refuseField(...unfit)
    // Drawn before anything is answered: uploads that are no images are found out by it.
    const first = await draw(request, 0, stream ? progressOf(request, 0) : 1).catch((error: unknown) => {
      if (request.base) return null
      throw error
    })
    if (first === null) return refuseField('image', 'The uploaded image, or its mask, could not be read.')
    const headers = { 'content-type': stream ? 'text/event-stream; charset=utf-8' : 'application/json' }
    const body = stream ? events(request, first, signal) : once(await whole(request, first, tells, signal))
    return { k: 'wire', status: 200, headers, body }
  }
}
