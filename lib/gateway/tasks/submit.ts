import type { CatalogModel } from '../../domain/catalog.ts'
import { asRefusal, Refusal } from '../../domain/errors.ts'
import type { Attempt } from '../../domain/settlement.ts'
import { aspectOf, type TaskJson } from '../../domain/task.ts'
import { asVendorFailure, type VideoStarted } from '../../vendors/vendor.ts'
import { filmingModel } from '../able.ts'
import { Running } from '../attempt.ts'
import { choose, type Route, refuseAll } from '../choose.ts'
import type { GatewayPorts } from '../ports.ts'
import { moreUseful, movesOn, refuseFailure, refuseStatus } from '../vendor-errors.ts'
import { placeOf } from './deployment.ts'
import { fail } from './end.ts'
import type { HeldTask } from './held-task.ts'
import { failurePause, pollPause } from './pause.ts'
import { surely } from './surely.ts'

/** How long a vendor may take to confirm that it has begun. */
const SUBMIT_MS = 60_000
/** How long a vendor that is busy or away is waited for. */
const PATIENCE_MS = 5 * 60_000
/** A vendor whose answer was lost is asked once more, if it can recognize a repeat. */
const MAX_SUBMITS = 2
const LOST = 'The gateway lost contact with the vendor of this model while starting the video. Nothing was charged. Try again.'

/** Only requests are counted for videos: no vendor counts them by tokens. */
const noTokens = () => ({ input: 0, output: 0 })

/** The result of asking one deployment. `lost`: it is unknown whether the vendor has begun. */
type Asked =
  | { k: 'begun'; operation: TaskJson; inMs: number | undefined }
  | { k: 'refused'; refusal: Refusal }
  | { k: 'lost'; refusal: Refusal }

/** Asks the deployments of a task's model, one after the other, until one begins. */
export async function submit(task: HeldTask, ports: GatewayPorts): Promise<void> {
  const known = ports.catalog().models.get(task.modelId)
  const trace = [...task.trace]
  if (!known) {
    await fail(task, task.turn, 'vendor_failed', 'This model is no longer offered. Nothing was charged.', trace, ports)
    return
  }
  const model = filmingModel(known, ports)
  const tried: string[] = []
  let shown: Refusal | null = null
  let submits = task.submitting === null ? 0 : task.submits
  let again = task.submitting === null ? null : routeAgain(task, task.submitting, submits, ports)
  if (task.submitting !== null && again === null) {
    await fail(task, task.turn, 'vendor_failed', LOST, trace, ports)
    return
  }
  for (;;) {
    const route: Route | null = again ?? (tried.length < ports.settings.hops ? await choose(model, tried, noTokens, ports) : null)
    if (route === null) return await waitOrFail(task, shown ?? refuseAll(model, noTokens, ports), trace, ports)
    submits = again === null ? 1 : submits + 1
    tried.push(route.deployment.id)
    const letGo = () => {
      route.pass?.released()
      route.leave?.()
    }
    const isMine = await ports.tasks.submitting(task, route.deployment.id, trace).catch((error: unknown) => {
      letGo()
      throw error
    })
    if (!isMine) return letGo()
    const asked = await ask(task, model, route, trace, ports)
    if (asked.k === 'begun') return await begun(task, route, asked, trace, ports)
    again = null
    if (asked.k === 'lost') {
      again = routeAgain(task, route.deployment.id, submits, ports)
      if (again !== null) continue
      await fail(task, task.turn, 'vendor_failed', LOST, trace, ports)
      return
    }
    if (!movesOn(asked.refusal)) {
      await fail(task, task.turn, 'vendor_failed', asked.refusal.message, trace, ports)
      return
    }
    shown = moreUseful(shown, asked.refusal)
  }
}

/** The route to a deployment that may have begun already; null if it must not be asked again. */
function routeAgain(task: HeldTask, deploymentId: string, submits: number, ports: GatewayPorts): Route | null {
  const place = placeOf(task.modelId, deploymentId, ports)
  const vendor = place && ports.vendor(place.deployment.connection)
  if (!place?.videos.idempotent || !vendor || submits >= MAX_SUBMITS) return null
  return { modelId: task.modelId, deployment: place.deployment, vendor, pass: null, counted: null }
}

async function ask(task: HeldTask, model: CatalogModel, route: Route, trace: Attempt[], ports: GatewayPorts): Promise<Asked> {
  const { deployment, vendor } = route
  const run = new Running(route, { trace, left: false, callsVendor: () => undefined }, ports)
  run.limit(SUBMIT_MS)
  try {
    if (!vendor.videos || !task.ask) throw new Refusal('unavailable', 'This model cannot make videos right now.')
    const { prompt, seconds } = task.ask
    const { connection } = deployment
    const aspect = aspectOf(model.id, ports.catalog().models)
    const { signal } = run
    const answer = await vendor.videos.submit({ deployment, connection, prompt, seconds, aspect, key: task.id, signal })
    run.heard(answer.k === 'wire' ? answer.status : 200)
    if (answer.k === 'wire') throw await refuseStatus(answer, route, model.id, ports.now())
    run.done()
    route.pass?.begun()
    return begunOf(answer)
  } catch (error) {
    const refusal = asRefusal(error) ?? refuseFailure(error) ?? new Refusal('vendor_failed', "The model's vendor failed.")
    run.fail(refusal, error)
    // Whatever went wrong, the next call may find out how the deployment is.
    route.pass?.released()
    return { k: isLost(error, trace.at(-1)?.status ?? null) ? 'lost' : 'refused', refusal }
  }
}

const begunOf = ({ operation, inMs }: VideoStarted): Asked => ({ k: 'begun', operation, inMs })

/** Whether the vendor may have begun although it did not say so. A proxy's 504 says nothing about the server behind it. */
function isLost(error: unknown, status: number | null): boolean {
  if (status === 504) return true
  const failure = asVendorFailure(error)
  if (!failure) return asRefusal(error) === null
  if (failure.kind === 'timed_out') return failure.detail !== 'UND_ERR_CONNECT_TIMEOUT'
  return failure.kind === 'cut' || failure.kind === 'unreadable'
}

async function begun(
  task: HeldTask,
  { deployment, vendor }: Route,
  { operation, inMs }: { operation: TaskJson; inMs: number | undefined },
  trace: Attempt[],
  ports: GatewayPorts,
): Promise<void> {
  const next = { inMs: pollPause(task.seconds, inMs, ports.random()), place: false, failing: false, trace }
  // The vendor's id for the video is known only here: without it nobody could ask for the video or stop it.
  const note = () => ports.tasks.submitted(task, deployment.id, operation, next)
  if (await surely(task.id, 'a video that its vendor has started waits for the database', note, ports)) return
  // The task was ended while its vendor was asked to begin. If another process continues it, the vendor is left to that
  // process.
  const now = await ports.tasks.find(task.accountId, task.id)
  if (now !== null && now.state !== 'failed') return
  ports.log.info({ task: task.id }, 'a vendor started a video after it had ended here; the vendor is told')
  await vendor.videos
    ?.cancel?.(operation, { deployment, connection: deployment.connection, signal: AbortSignal.timeout(SUBMIT_MS) })
    .catch((error: unknown) =>
      ports.log.warn({ task: task.id, error: String(error) }, 'a vendor could not be told that a video is no longer wanted'),
    )
}

/** If nobody can begin now but may soon, the task stays pending for a while. */
async function waitOrFail(task: HeldTask, refusal: Refusal, trace: Attempt[], ports: GatewayPorts): Promise<void> {
  if (refusal.retryAfter !== null && task.ageMs < PATIENCE_MS) {
    const inMs = Math.max(refusal.retryAfter * 1000, failurePause(task.failures, ports.random()))
    await ports.tasks.later(task, { inMs, place: false, failing: true, trace })
    return
  }
  await fail(task, task.turn, 'vendor_failed', refusal.message, trace, ports)
}
