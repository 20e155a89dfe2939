import type { TaskJson } from '../../domain/task.ts'
import { VendorFailure, type VideoState, type Videos } from '../vendor.ts'
import { unknownModel } from './failures.ts'
import type { SandboxOptions } from './options.ts'
import type { VideoSpec } from './render-video.ts'

/** How long it takes to make a second of video, in milliseconds. */
const SECOND_MS = 400

const PORTRAIT = 'sandbox/video'
const LANDSCAPE = 'sandbox/video-landscape'
const FAILING = 'sandbox/error-video'
const STUCK = 'sandbox/error-video-stuck'
const MODELS = new Set([PORTRAIT, LANDSCAPE, FAILING, STUCK])

/** Draws a whole video. */
export type DrawVideo = (order: VideoSpec) => Promise<Uint8Array>

/** Loads the drawing code when the first video is needed. */
const renderOnDemand: DrawVideo = async (order) => (await import('./render-video.ts')).renderVideo(order)

/** Everything that is known about a video, so that nothing is lost with the process. */
interface Operation {
  model: string
  prompt: string
  seconds: number
  /** Milliseconds since 1970. */
  readyMs: number
}

function read(operation: TaskJson): Operation {
  const { model, prompt, seconds, readyMs } = (operation ?? {}) as Partial<Record<keyof Operation, unknown>>
  if (typeof model !== 'string' || typeof prompt !== 'string' || typeof seconds !== 'number' || typeof readyMs !== 'number')
    throw new VendorFailure('misconfigured', 'a task of another vendor')
  return { model, prompt, seconds, readyMs }
}

/** Makes simulated videos, which are ready after a while. The same request begins the same video again. */
export function createSandboxVideos({ now = Date.now, pace = 1 }: SandboxOptions, draw: DrawVideo = renderOnDemand): Videos {
  return {
    idempotent: true,
    async submit({ deployment: { upstreamModel: model }, prompt, seconds }) {
      if (!MODELS.has(model)) return unknownModel(model)
      const takesMs = seconds * SECOND_MS * pace
      return { k: 'started', operation: { model, prompt, seconds, readyMs: now() + takesMs }, inMs: takesMs }
    },
    async poll(operation): Promise<VideoState> {
      const { model, prompt, seconds, readyMs } = read(operation)
      if (model === STUCK) return { state: 'processing' }
      const restMs = readyMs - now()
      if (restMs > 0) return { state: 'processing', inMs: restMs }
      if (model === FAILING)
        return { state: 'failed', message: 'The video could not be made. This failure is simulated by the Tollgate sandbox.' }
      const order = { prompt, seconds, landscape: model === LANDSCAPE }
      return { state: 'completed', source: { body: drawOnRead(order, draw), type: 'video/mp4' } }
    },
    async cancel() {
      // Nothing is in progress that could be stopped.
    },
  }
}

/** The video is drawn when it is read, which may take a while. */
async function* drawOnRead(order: VideoSpec, draw: DrawVideo): AsyncGenerator<Uint8Array> {
  yield await draw(order)
}
