import type { CatalogModel } from '../../domain/catalog.ts'
import { asRefusal, Refusal } from '../../domain/errors.ts'
import type { Attempt } from '../../domain/settlement.ts'
import { aspectOf, type TaskJson } from '../../domain/task.ts'
import { asVendorFailure, type VideoStarted } from '../../vendors/vendor.ts'
import { RunningAttempt } from '../attempt.ts'
import { chooseDeployment, type Route, refuseNoDeployment } from '../choose-deployment.ts'
import { withVideoDeployments } from '../eligible-deployments.ts'
import type { GatewayPorts } from '../ports.ts'
import { allowsFailover, pickMoreUseful, refuseFailure, refuseStatus } from '../vendor-errors.ts'
import { failTask } from './end-task.ts'
import type { HeldTask } from './held-task.ts'
import { failurePause, MAX_PAUSE_MS, pollPause } from './pause.ts'
import { retryTransient } from './retry-transient.ts'
import { findTaskDeployment } from './task-deployment.ts'

/** How long a vendor may take to confirm that it has begun. */
const SUBMIT_TIMEOUT_MS = 60_000
/** How long a vendor that is busy or away is waited for. */
const MAX_WAIT_MS = 5 * 60_000
/** A vendor whose answer was lost is asked once more, if it can recognize a repeat. */
const MAX_SUBMITS = 2
const LOST_MESSAGE =
  'The gateway lost contact with the vendor of this model while starting the video. Nothing was charged. Try again.'

/** Only requests are counted for videos: no vendor counts them by tokens. */
const noTokens = () => ({ input: 0, output: 0 })

/** The result of asking one deployment. `lost`: it is unknown whether the vendor has begun. */
type SubmitResult =
  | { k: 'begun'; operation: TaskJson; inMs: number | undefined }
  | { k: 'refused'; refusal: Refusal }
  | { k: 'lost'; refusal: Refusal }

/** Asks the deployments of a task's model, one after the other, until one begins. */
export async function submit(task: HeldTask, ports: GatewayPorts): Promise<void> {
  const catalogModel = ports.catalog().models.get(task.modelId)
  const trace = [...task.trace]
  if (!catalogModel) {
    await failTask(task, task.turn, 'vendor_failed', 'This model is no longer offered. Nothing was charged.', trace, ports)
    return
  }
  const model = withVideoDeployments(catalogModel, ports)
  const tried: string[] = []
  let bestRefusal: Refusal | null = null
  let submits = task.submitting === null ? 0 : task.submits
  let repeatRoute = task.submitting === null ? null : findRepeatRoute(task, task.submitting, submits, ports)
  if (task.submitting !== null && repeatRoute === null) {
    await failTask(task, task.turn, 'vendor_failed', LOST_MESSAGE, trace, ports)
    return
  }
  for (;;) {
    const route: Route | null =
      repeatRoute ?? (tried.length < ports.settings.hops ? await chooseDeployment(model, tried, noTokens, ports) : null)
    if (route === null) return await waitOrFail(task, bestRefusal ?? refuseNoDeployment(model, noTokens, ports), trace, ports)
    submits = repeatRoute === null ? 1 : submits + 1
    tried.push(route.deployment.id)
    const release = () => {
      route.pass?.release()
      route.releaseSlot?.()
    }
    const ownsTurn = await ports.tasks.markSubmitting(task, route.deployment.id, trace).catch((error: unknown) => {
      release()
      throw error
    })
    if (!ownsTurn) return release()
    const result = await submitTo(task, model, route, trace, ports)
    if (result.k === 'begun') return await recordBegun(task, route, result, trace, ports)
    repeatRoute = null
    if (result.k === 'lost') {
      repeatRoute = findRepeatRoute(task, route.deployment.id, submits, ports)
      if (repeatRoute !== null) continue
      await failTask(task, task.turn, 'vendor_failed', LOST_MESSAGE, trace, ports)
      return
    }
    if (!allowsFailover(result.refusal)) {
      await failTask(task, task.turn, 'vendor_failed', result.refusal.message, trace, ports)
      return
    }
    bestRefusal = pickMoreUseful(bestRefusal, result.refusal)
  }
}

/** The route to a deployment that may have begun already; null if it must not be asked again. */
function findRepeatRoute(task: HeldTask, deploymentId: string, submits: number, ports: GatewayPorts): Route | null {
  const taskDeployment = findTaskDeployment(deploymentId, ports)
  const vendor = taskDeployment && ports.vendor(taskDeployment.deployment.connection)
  if (!taskDeployment?.videos.idempotent || !vendor || submits >= MAX_SUBMITS) return null
  return { modelId: task.modelId, deployment: taskDeployment.deployment, vendor, pass: null, countedCall: null }
}

async function submitTo(
  task: HeldTask,
  model: CatalogModel,
  route: Route,
  trace: Attempt[],
  ports: GatewayPorts,
): Promise<SubmitResult> {
  const { deployment, vendor } = route
  const attempt = new RunningAttempt(route, { trace, clientGone: false, recordVendorCall: () => undefined }, ports)
  attempt.setTimeLimit(SUBMIT_TIMEOUT_MS)
  try {
    if (!vendor.videos || !task.ask) throw new Refusal('unavailable', 'This model cannot make videos right now.')
    const { prompt, seconds } = task.ask
    const { connection } = deployment
    const aspect = aspectOf(model.id, ports.catalog().models)
    const { signal } = attempt
    const answer = await vendor.videos.submit({ deployment, connection, prompt, seconds, aspect, key: task.id, signal })
    attempt.recordStatus(answer.k === 'wire' ? answer.status : 200)
    if (answer.k === 'wire') throw await refuseStatus(answer, route, model.id, ports.now())
    attempt.complete()
    route.pass?.recordStart()
    return toBegun(answer)
  } catch (error) {
    const refusal = asRefusal(error) ?? refuseFailure(error) ?? new Refusal('vendor_failed', "The model's vendor failed.")
    attempt.fail(refusal, error)
    // Whatever went wrong, the next call may find out how the deployment is.
    route.pass?.release()
    return { k: isLost(error, trace.at(-1)?.status ?? null) ? 'lost' : 'refused', refusal }
  }
}

const toBegun = ({ operation, inMs }: VideoStarted): SubmitResult => ({ k: 'begun', operation, inMs })

/** Whether the vendor may have begun although it did not say so. A proxy's 504 says nothing about the server behind it. */
function isLost(error: unknown, status: number | null): boolean {
  if (status === 504) return true
  const failure = asVendorFailure(error)
  if (!failure) return asRefusal(error) === null
  if (failure.kind === 'timed_out') return failure.detail !== 'UND_ERR_CONNECT_TIMEOUT'
  return failure.kind === 'cut' || failure.kind === 'unreadable'
}

async function recordBegun(
  task: HeldTask,
  { deployment, vendor }: Route,
  { operation, inMs }: { operation: TaskJson; inMs: number | undefined },
  trace: Attempt[],
  ports: GatewayPorts,
): Promise<void> {
  const next = { inMs: pollPause(task.seconds, inMs, ports.random()), place: false, failing: false, trace }
  // The vendor's id for the video is known only here: without it nobody could ask for the video or stop it.
  const record = () => ports.tasks.markSubmitted(task, deployment.id, operation, next)
  if (await retryTransient(task.id, 'a video that its vendor has started waits for the database', record, ports)) return
  // The task was ended while its vendor was asked to begin. If another process continues it, the vendor is left to that
  // process.
  const current = await ports.tasks.find(task.accountId, task.id)
  if (current !== null && current.state !== 'failed') return
  ports.log.info({ task: task.id }, 'a vendor started a video after it had ended here; the vendor is told')
  await vendor.videos
    ?.cancel?.(operation, { deployment, connection: deployment.connection, signal: AbortSignal.timeout(SUBMIT_TIMEOUT_MS) })
    .catch((error: unknown) =>
      ports.log.warn({ task: task.id, error: String(error) }, 'a vendor could not be told that a video is no longer wanted'),
    )
}

/** If nobody can begin now but may soon, the task stays pending for a while. */
async function waitOrFail(task: HeldTask, refusal: Refusal, trace: Attempt[], ports: GatewayPorts): Promise<void> {
  if (refusal.retryAfter !== null && task.ageMs < MAX_WAIT_MS) {
    const wantedMs = Math.max(refusal.retryAfter * 1000, failurePause(task.failures, ports.random()))
    // Its money is held meanwhile, and another deployment may be free before the vendor that names the shortest time.
    const inMs = Math.min(wantedMs, MAX_PAUSE_MS, MAX_WAIT_MS - task.ageMs)
    await ports.tasks.scheduleNext(task, { inMs, place: false, failing: true, trace })
    return
  }
  await failTask(task, task.turn, 'vendor_failed', refusal.message, trace, ports)
}
