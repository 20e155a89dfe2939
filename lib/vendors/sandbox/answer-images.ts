import { readImageInfo } from '../../domain/image-info.ts'
import { createQueue } from '../../domain/queue.ts'
import type { Forward, ForwardCall, WireAnswer } from '../vendor.ts'
import { refusalOf, refuseField, unknownModel } from './failures.ts'
import { type ImageRequest, readImageRequest } from './image-request.ts'
import type { SandboxOptions } from './options.ts'
import { checkAborted, pause, sleep as realSleep } from './pause.ts'

const STEP_MS = 150

/** The models that answer, and whether they report size and quality, and stream, as OpenAI's newer models do. */
const REPORTS_DETAILS: Readonly<Record<string, boolean>> = {
  'sandbox/image': true,
  'sandbox/image-wide': false,
  'sandbox/image-small': false,
}

/** The largest upload. A decoded image takes four bytes per pixel, however small its file is. */
const MAX_UPLOAD_PIXELS = 16_000_000
/** How many images are decoded or drawn at once in this process. Each takes a processor and tens of megabytes. */
const CONCURRENCY = 2

const runQueued = createQueue(CONCURRENCY)

/** The images that an edit begins with, no larger than the image that is drawn. */
interface Originals {
  base?: Uint8Array
  mask?: Uint8Array
}

/** Why an upload cannot be used; null if it can, as far as its first bytes show. */
function unusableReason(field: string, bytes: Uint8Array): string | null {
  const info = readImageInfo(bytes)
  if (!info) return `The uploaded ${field} could not be read.`
  if (info.width * info.height <= MAX_UPLOAD_PIXELS) return null
  return `The uploaded ${field} has ${info.width}x${info.height} pixels. Send one of at most ${MAX_UPLOAD_PIXELS / 1_000_000} megapixels.`
}

/** The uploads, scaled down; or the answer that refuses an upload that cannot be used. */
async function originalsOf(request: ImageRequest, signal: AbortSignal): Promise<Originals | WireAnswer> {
  const { width, height, base, mask } = request
  const originals: Originals = {}
  for (const [field, bytes, name] of [
    ['image', base, 'base'],
    ['mask', mask, 'mask'],
  ] as const) {
    if (!bytes) continue
    const why = unusableReason(field, bytes)
    if (why !== null) return refuseField(field, why)
    const { fitImage } = await import('./render-image.ts')
    const fitted = await runQueued(async () => {
      checkAborted(signal)
      return await fitImage(bytes, width, height).catch(() => null)
    })
    if (fitted === null) return refuseField(field, `The uploaded ${field} could not be read.`)
    originals[name] = fitted
  }
  return originals
}

/** OpenAI's newer models have other names for the qualities. */
const QUALITY: Readonly<Record<string, string>> = { standard: 'medium', hd: 'high' }

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Draws one image of a request and returns it in base64. `progress` says how finished it is, from 0 to 1. */
type Draw = (index: number, progress: number) => Promise<string>

function createDraw(request: ImageRequest, originals: Originals, signal: AbortSignal): Draw {
  const { prompt, width, height, quality, format } = request
  return async (index, progress) => {
    const { renderImage } = await import('./render-image.ts')
    const bytes = await runQueued(async () => {
      checkAborted(signal)
      return await renderImage({ prompt, width, height, quality, format, index, progress, ...originals })
    })
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  }
}

/** How finished an image is at a step of its stream. The last step shows the whole image. */
const progressOf = ({ partials }: ImageRequest, step: number): number => (step + 1) / (partials + 1)

const reportedDetails = ({ size, quality, format }: ImageRequest) => ({
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

  async function* events(request: ImageRequest, draw: Draw, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const event = (type: string, more: object): Buffer => {
      const data = { type: `${kind}.${type}`, ...more, created_at: second(), ...reportedDetails(request) }
      return Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
    }
    for (let index = 0; index < request.images; index++)
      for (let step = 0; step <= request.partials; step++) {
        await pause(sleep, STEP_MS * pace, signal)
        const b64_json = await draw(index, progressOf(request, step))
        yield step < request.partials
          ? event('partial_image', { b64_json, partial_image_index: step })
          : event('completed', { b64_json })
      }
  }

  async function nonStreamingBody(
    request: ImageRequest,
    draw: Draw,
    reportsDetails: boolean,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const data: object[] = []
    for (let index = 0; index < request.images; index++) {
      await pause(sleep, STEP_MS * pace, signal)
      data.push({ b64_json: await draw(index, 1) })
    }
    return Buffer.from(JSON.stringify({ created: second(), data, ...(reportsDetails ? reportedDetails(request) : {}) }))
  }

  return async function images(call: ForwardCall): Promise<WireAnswer> {
    const { stream, signal } = call
    const model = call.deployment.upstreamModel
    checkAborted(signal)
    const refusal = refusalOf(model)
    if (refusal) return refusal
    const reportsDetails = Object.hasOwn(REPORTS_DETAILS, model) ? REPORTS_DETAILS[model] : undefined
    if (reportsDetails === undefined) return unknownModel(model)
    const request = await readImageRequest(call)
    // Uploads are decoded before the answer begins, because that reveals which of them are not images.
    const originals = await originalsOf(request, signal)
    if ('status' in originals) return originals
    const draw = createDraw(request, originals, signal)
    const headers = { 'content-type': stream ? 'text/event-stream; charset=utf-8' : 'application/json' }
    const body = stream ? events(request, draw, signal) : once(await nonStreamingBody(request, draw, reportsDetails, signal))
    return { k: 'wire', status: 200, headers, body }
  }
}
