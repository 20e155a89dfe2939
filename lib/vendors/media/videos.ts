import type { Experimental_VideoModelV4 as VideoModelV4 } from '@ai-sdk/provider'
import { fieldIn } from '../../domain/field-in.ts'
import { singleChunk } from '../../domain/single-chunk.ts'
import type { TaskJson } from '../../domain/task.ts'
import { answerOf, failureIn } from '../bridge/failure.ts'
import { asVendorFailure, VendorFailure, type VideoCall, type VideoSource, type VideoState, type Videos } from '../vendor.ts'
import type { MediaDialect, MediaModels } from './media-dialect.ts'
import type { MediaCall } from './media-gate.ts'

type Status = Awaited<ReturnType<NonNullable<VideoModelV4['doStatus']>>>

/** Makes models whose requests are counted in the given call. */
export type ModelsOf = (call: MediaCall) => Promise<MediaModels>

/**
 * Handles what a package throws while it polls, or reports as a failed video although the vendor only could not answer now.
 * Returns a failed state if the vendor no longer knows the video. Otherwise throws a VendorFailure.
 */
function pollFailure(error: unknown, status: number | null): VideoState {
  const known = asVendorFailure(error)
  if (known) throw known
  const reportedStatus = fieldIn(error, 'statusCode') ?? status
  if (reportedStatus === 404) return { state: 'failed', message: 'The vendor of this model no longer knows the video.' }
  if (typeof reportedStatus === 'number') throw new VendorFailure('cut', `status ${reportedStatus}`)
  throw failureIn(error)
}

function sourceOf(status: Extract<Status, { status: 'completed' }>): VideoSource | null {
  const [video] = status.videos
  if (video?.type === 'url') return { url: video.url }
  if (video?.type === 'base64') return { body: singleChunk(Buffer.from(video.data, 'base64')), type: video.mediaType }
  return video?.type === 'binary' ? { body: singleChunk(video.data), type: video.mediaType } : null
}

/**
 * Videos of a vendor that is reached through its provider package. The package's id of the work is stored as it is and passed
 * back to the package. None of these vendors supports idempotency keys, so a request whose answer was lost is not retried.
 * They cannot be stopped through their packages either.
 */
export function createBridgedVideos(modelsOf: ModelsOf, dialect: MediaDialect): Videos {
  async function modelOf(name: string, call: MediaCall): Promise<VideoModelV4> {
    const model = (await modelsOf(call)).video?.(name)
    if (!model?.doStart || !model.doStatus) throw new VendorFailure('misconfigured', 'the package makes no videos as tasks')
    return model
  }

  return {
    idempotent: false,
    async submit({ deployment, prompt, seconds, aspect, signal }: VideoCall) {
      const call: MediaCall = { posted: 0, status: null }
      const model = await modelOf(deployment.upstreamModel, call)
      try {
        const started = await model.doStart?.({
          prompt,
          n: 1,
          duration: seconds,
          aspectRatio: aspect ?? undefined,
          resolution: undefined,
          fps: undefined,
          seed: undefined,
          image: undefined,
          frameImages: undefined,
          inputReferences: undefined,
          generateAudio: undefined,
          providerOptions: dialect.video?.({ seconds, upstreamModel: deployment.upstreamModel }) ?? {},
          abortSignal: signal,
        })
        return { k: 'started', operation: started?.operation as TaskJson }
      } catch (error) {
        return answerOf(error, call.posted > 0, { correctError: dialect.correctError ?? ((answer) => answer) })
      }
    },

    async poll(operation, { deployment, signal }) {
      const call: MediaCall = { posted: 0, status: null }
      const model = await modelOf(deployment.upstreamModel, call)
      let status: Status | undefined
      try {
        status = await model.doStatus?.({ operation: operation as never, providerOptions: {}, abortSignal: signal } as never)
      } catch (error) {
        return pollFailure(error, null)
      }
      if (status === undefined || status.status === 'pending') return { state: 'processing' }
      if (status.status === 'error') {
        // Some packages report a failed video if the vendor only could not say how it stands.
        if (call.status === 429 || (call.status !== null && call.status >= 500)) return pollFailure(null, call.status)
        return { state: 'failed', message: status.error }
      }
      const source = sourceOf(status)
      return source ? { state: 'completed', source } : { state: 'failed', message: 'The vendor made no video.' }
    },
  }
}
