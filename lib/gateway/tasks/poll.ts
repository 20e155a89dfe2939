import { asRefusal, Refusal } from '../../domain/errors.ts'
import type { VideoState } from '../../vendors/vendor.ts'
import type { GatewayPorts } from '../ports.ts'
import { scrub } from '../vendor-errors.ts'
import { completeTask, failTask } from './end-task.ts'
import type { HeldTask } from './held-task.ts'
import { failurePause, pollPause } from './pause.ts'
import { receiptOf } from './settlement.ts'
import { findTaskDeployment, originOf, type TaskDeployment } from './task-deployment.ts'

/** How long a vendor may take to report the status of a video. */
const POLL_TIMEOUT_MS = 20_000
/** How long a vendor may take to deliver a video. */
const FETCH_TIMEOUT_MS = 10 * 60_000
/** Media types of videos that vendors deliver without a specific type. They count as video/mp4. */
const GENERIC_TYPES = new Set(['application/octet-stream', 'binary/octet-stream', ''])

/** Reasons why a video can never be kept, in the words that fetching and keeping use. */
const PERMANENT_FAILURES = new Set([
  'a private address',
  'no http address',
  'an address with a password',
  'too many redirects',
  'too large',
  'no video',
])

type CompletedVideo = Extract<VideoState, { state: 'completed' }>

/** Asks the vendor of a task for its status. */
export async function poll(task: HeldTask, signal: AbortSignal, ports: GatewayPorts): Promise<void> {
  const taskDeployment = findTaskDeployment(task.deploymentId, ports)
  if (!taskDeployment) return await retryLater(task, 'its deployment is not known', ports)
  const { deployment, videos } = taskDeployment
  try {
    const state = await videos.poll(task.operation, {
      deployment,
      connection: deployment.connection,
      signal: AbortSignal.any([signal, AbortSignal.timeout(POLL_TIMEOUT_MS)]),
    })
    if (state.state === 'completed') return await storeVideo(task, state, taskDeployment, signal, ports)
    if (state.state === 'failed') {
      const message = scrub(state.message, { deployment }, task.modelId).trim()
      await failTask(
        task,
        task.turn,
        'vendor_failed',
        message === '' ? 'The vendor of this model failed.' : message,
        task.trace,
        ports,
      )
      return
    }
    const inMs = pollPause(task.seconds, state.inMs, ports.random())
    await ports.tasks.scheduleNext(task, { inMs, place: false, failing: false, trace: task.trace })
  } catch (error) {
    if (ports.isTransient(error) || signal.aborted) throw error
    const refusal = asRefusal(error)
    if (refusal && PERMANENT_FAILURES.has(refusal.detail ?? ''))
      await failTask(task, task.turn, 'vendor_failed', refusal.message, task.trace, ports)
    else await retryLater(task, detailOf(error), ports)
  }
}

/** The detail for the log: never an address, a prompt or a header. */
const detailOf = (error: unknown): string => {
  const { detail, code, name } = (error ?? {}) as { detail?: unknown; code?: unknown; name?: unknown }
  return String(detail ?? code ?? name ?? 'unknown')
}

/**
 * Keeps the video, and only then ends the task. If the process dies in between, the next turn finds the video at its vendor
 * again, and the copy that was kept, which nothing refers to, is removed when it expires.
 */
async function storeVideo(
  task: HeldTask,
  done: CompletedVideo,
  taskDeployment: TaskDeployment,
  signal: AbortSignal,
  ports: GatewayPorts,
): Promise<void> {
  const fetchSignal = AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)])
  const { source } = done
  const { maxBytes } = ports.settings.videos
  const { type, body } =
    'url' in source ? await ports.files.fetch(source.url, maxBytes, originOf(taskDeployment.deployment), fetchSignal) : source
  const saved = await ports.files.save(limitBytes(body, maxBytes, fetchSignal), videoTypeOf(type), task.expiresAt.getTime())
  const seconds = secondsOf(task, done)
  if (await completeTask(task, saved.url, seconds, task.trace, ports)) return
  const now = await ports.tasks.find(task.accountId, task.id)
  if (now?.state !== 'failed') return
  ports.log.warn(
    { task: task.id, vendorCostNano: String(receiptOf(task, seconds).vendorCost) },
    'a vendor finished a video after it had ended here; nothing is charged for it, but the vendor may charge for it',
  )
}

/** The length of a video: the vendor's figure is used only up to what was asked for. */
function secondsOf({ seconds }: HeldTask, done: CompletedVideo): number {
  const reported = done.seconds
  return reported !== undefined && Number.isInteger(reported) && reported > 0 ? Math.min(reported, seconds) : seconds
}

function videoTypeOf(type: string): string {
  const mediaType = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (GENERIC_TYPES.has(mediaType)) return 'video/mp4'
  if (mediaType.startsWith('video/')) return mediaType
  throw refuseNoVideo()
}

const refuseNoVideo = () =>
  new Refusal('vendor_failed', 'The vendor of this model delivered something that is not a video. Nothing was charged.', {
    detail: 'no video',
  })

async function* limitBytes(body: AsyncIterable<Uint8Array>, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of body) {
    signal.throwIfAborted()
    bytes += piece.byteLength
    if (bytes > maxBytes)
      throw new Refusal('vendor_failed', 'The video is larger than this gateway can store. Nothing was charged.', {
        detail: 'too large',
      })
    yield piece
  }
  if (bytes === 0) throw refuseNoVideo()
}

/** Retries a vendor that cannot be reached, with longer and longer pauses, but not forever. */
async function retryLater(task: HeldTask, detail: string, ports: GatewayPorts): Promise<void> {
  const { silenceMs } = ports.settings.videos
  if (task.failures === 0) ports.log.warn({ task: task.id, detail }, 'a video could not be queried or stored; it is retried')
  if (task.failingMs > silenceMs) {
    const message =
      'The video was cancelled because its vendor could not be asked for its status for too long. Nothing was charged.'
    await failTask(task, task.turn, 'timed_out', message, task.trace, ports)
    return
  }
  const inMs = failurePause(task.failures, ports.random())
  await ports.tasks.scheduleNext(task, { inMs, place: false, failing: true, trace: task.trace })
}
