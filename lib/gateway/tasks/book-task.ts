import { Refusal } from '../../domain/errors.ts'
import type { BookedAnswer, BookingResult, NewTask } from '../../domain/task.ts'
import type { JobEndpoint } from '../../wire/endpoint.ts'
import type { Admitted } from '../admit.ts'
import type { Answer } from '../answer.ts'
import type { Exchange } from '../exchange.ts'
import type { GatewayPorts, HoldPort } from '../ports.ts'
import { respondJson } from '../respond.ts'
import { withTimeout } from '../with-timeout.ts'
import { endUndelivered } from './end-undelivered.ts'
import { retryTransient } from './retry-transient.ts'
import { retryHeaders, waitForTask } from './show-task.ts'

/** How long a task is available. Specification 3. */
const LIFETIME_MS = 24 * 3_600_000

/**
 * The last stage of a request that is sold as a task: one commit writes the task, with the request's hold, its job, and the
 * answer for a repeat. From then on the task is on its own, and clients only wait for it.
 */
export async function bookTask<Input, P>(
  admitted: Admitted<Input, P>,
  endpoint: JobEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const { request } = admitted
  const { hold } = exchange
  if (hold === null) throw new Error('a task needs a hold')
  const task = newTask(admitted, endpoint, exchange, hold, ports)
  const view = {
    ...task,
    state: 'pending' as const,
    seconds: task.ask.seconds,
    finishedAt: null,
    url: null,
    error: null,
    chargedNano: null,
  }
  const body = Buffer.from(JSON.stringify(endpoint.encode(view)))
  const ignored = endpoint.ignoredFieldsOf(request.input)
  const headers = {
    ...(ignored.length === 0
      ? {}
      : {
          'x-tollgate-ignored': ignored
            .join(', ')
            .replace(/[^\x20-\x7e]/g, '?')
            .slice(0, 500),
        }),
  }
  const waits = endpoint.waitsForResult(request.input)
  const answerHeaders = waits ? headers : { ...headers, ...retryHeaders(view) }
  const key = exchange.claim
  const answer =
    key === null ? null : { key, status: 200, headers: { 'content-type': 'application/json', ...answerHeaders }, body }
  await commitBooking(task, hold, answer, exchange, ports)
  if (waits) return await waitForTask(task.accountId, task.id, endpoint, headers, exchange, ports)
  return respondJson(exchange.endUnrecorded(), body, answerHeaders)
}

function newTask<Input, P>(
  { request, bound }: Admitted<Input, P>,
  endpoint: JobEndpoint<Input, P>,
  exchange: Exchange,
  hold: HoldPort,
  ports: GatewayPorts,
): NewTask {
  const { caller, group, received } = request.from
  // A price that cannot bill what is asked for throws here, before anything is written.
  exchange.receipt(bound.usage, { exact: true })
  return {
    id: ports.newId('task', received.at.getTime()),
    requestId: received.id,
    accountId: caller.accountId,
    keyId: caller.keyId,
    groupId: group.id,
    modelId: request.model.id,
    endpoint: endpoint.name,
    ask: endpoint.ask(request.work),
    asked: caller.keepHistory ? endpoint.redact(request.input) : null,
    pin: { price: request.price, groupName: group.name, multiplierBp: group.multiplierBp },
    holdNano: hold.amount,
    keepHistory: caller.keepHistory,
    ownMs: exchange.time.durations.ownMs,
    createdAt: received.at,
    expiresAt: new Date(received.at.getTime() + LIFETIME_MS),
  }
}

/** Books the task, or throws why not. The wallet is told what becomes of the hold only once that is known. */
async function commitBooking(
  task: NewTask,
  hold: HoldPort,
  answer: BookedAnswer | null,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<void> {
  const booking = bookWithRetry(task, hold, answer, ports)
  const booked = await withTimeout(booking, ports.settings.settleTimeoutMs, () => null)
  if (booked === 'booked') {
    hold.end(hold.amount)
    exchange.detach()
    return
  }
  if (booked !== null) throw booked === 'lost_hold' ? refuseLostHold() : refuseLostClaim()
  // It is unknown whether the task is booked. If there will be a record, it is the task's.
  exchange.detach()
  const ending = booking.then((lateResult) => endLateBooking(lateResult, task, hold, answer, ports))
  ending.catch((error: unknown) => cleanUp(error, task, hold, answer, ports))
  exchange.endUnrecorded()
  // A repeat with the same Idempotency-Key will ask for the task. Without one, nobody knows of it.
  if (answer === null) await ports.keepUndelivered({ id: task.id, accountId: task.accountId }, ending)
  throw new Refusal(
    'unavailable',
    answer === null
      ? 'The gateway cannot reach its ledger right now. Nothing is charged for this request. Try again in a moment.'
      : 'The gateway cannot reach its ledger right now, so it is not known whether the video was started. Send the same request again with the same Idempotency-Key. The video is made and charged once.',
    { retryAfter: 5, detail: 'booking timed out' },
  )
}

/** Books until the database has answered: a task that exists already counts as booked. */
const bookWithRetry = (task: NewTask, hold: HoldPort, answer: BookedAnswer | null, ports: GatewayPorts): Promise<BookingResult> =>
  retryTransient(task.id, 'booking a task waits for the database', () => ports.tasks.book(task, hold, answer), ports)

/** Ends a task whose client was turned away, unless a repeat with the same Idempotency-Key will ask for it. */
async function endLateBooking(
  booked: BookingResult,
  task: NewTask,
  hold: HoldPort,
  answer: BookedAnswer | null,
  ports: GatewayPorts,
): Promise<void> {
  hold.end(booked === 'booked' ? hold.amount : 0n)
  if (booked !== 'booked') return await releaseClaim(task, answer, ports)
  if (answer === null) await endUndelivered(task, ports)
}

/**
 * Cleans up when the database never took the task, or took it but could not end it. In the second case its hold was ended
 * before.
 */
async function cleanUp(
  error: unknown,
  task: NewTask,
  hold: HoldPort,
  answer: BookedAnswer | null,
  ports: GatewayPorts,
): Promise<void> {
  hold.end(0n)
  ports.log.error({ task: task.id, error: String(error) }, 'a task whose client was refused could not be ended')
  await releaseClaim(task, answer, ports)
}

/** Allows a repeat with the same Idempotency-Key to run. An answer that was kept stays: only a claim without one is released. */
async function releaseClaim(
  { id, accountId, requestId }: NewTask,
  answer: BookedAnswer | null,
  ports: GatewayPorts,
): Promise<void> {
  if (answer === null) return
  await ports.idempotency
    .release(accountId, answer.key, requestId)
    .catch((error: unknown) =>
      ports.log.warn({ task: id, error: String(error) }, 'an idempotency key stays claimed until its process exits'),
    )
}

const refuseLostHold = () =>
  new Refusal('unavailable', 'The gateway lost contact with its ledger for a moment. Nothing was charged. Try again.', {
    retryAfter: 1,
    detail: 'the hold was swept',
  })

const refuseLostClaim = () =>
  new Refusal('idempotency_running', 'Another request with this Idempotency-Key is running. Try again in a moment.', {
    retryAfter: 1,
  })
