import { setTimeout as sleep } from 'node:timers/promises'
import { parseDecimal } from '#lib/domain/money'
import { eventsOf, type RawAnswer, RawConnection } from '../support/raw-client.ts'
import type { FuzzRequest } from './request-parts.ts'

/** How long an answer may take. No request here should take a tenth of it. */
const ANSWER_TIMEOUT_MS = 30_000

/** The outcome of one request. */
export interface FuzzResult {
  /** The status of each answer, or 0 if the connection ended without one. */
  statuses: number[]
  /** What is wrong with the outcome, or null if nothing is. */
  wrong: string | null
  /** The costs of complete answers, by request id. Replays are not among them. */
  costs: [requestId: string, costNano: bigint][]
}

/** Sends a request and judges the answers. Rejects only if nothing listens any more. */
export async function sendFuzz(url: string, request: FuzzRequest): Promise<FuzzResult> {
  const connection = await RawConnection.open(url)
  const result: FuzzResult = { statuses: [], wrong: null, costs: [] }
  const timeoutSignal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  timeoutSignal.addEventListener('abort', () => {
    result.wrong ??= `no answer within ${ANSWER_TIMEOUT_MS} ms`
    connection.destroy()
  })
  try {
    connection.send(request.bytes)
    if (request.leavesAfterMs !== null) await sleep(request.leavesAfterMs)
    else if (request.broken) await readAnything(connection, result)
    else for (const { bodyless } of request.answers) if (!(await readOne(connection, bodyless, result))) break
  } finally {
    connection.destroy()
  }
  return result
}

/** Reads the answer to bytes that are not a request: anything is fine except a failure of ours. */
async function readAnything(connection: RawConnection, result: FuzzResult): Promise<void> {
  // A client that closes its side at once counts as disconnected, and a valid request in it would not be answered.
  await sleep(30)
  connection.socket.end()
  const text = (await connection.readUntilClosed()).toString('latin1')
  for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
    result.statuses.push(Number(status))
    if (Number(status) >= 500) result.wrong ??= `status ${status}: ${text.slice(0, 1000)}`
  }
}

/** Reads and judges one answer. False if the connection ended with it. */
async function readOne(connection: RawConnection, bodyless: boolean, result: FuzzResult): Promise<boolean> {
  let answer: RawAnswer
  try {
    answer = await connection.readAnswer({ bodyless })
  } catch (error) {
    result.statuses.push(0)
    result.wrong ??= String(error)
    return false
  }
  result.statuses.push(answer.status)
  result.wrong ??= bodyless ? statusProblem(answer) : answerProblem(answer)
  const id = answer.header('x-request-id')
  const cost = answer.status === 200 && answer.header('x-tollgate-replayed') === null ? costOf(answer) : null
  if (id !== null && cost !== null) result.costs.push([id, cost])
  // After a 413 and similar answers the rest of the connection is not read.
  return answer.header('connection') !== 'close' && answer.status !== 413
}

const statusProblem = ({ status, text }: RawAnswer): string | null =>
  status >= 500 || status < 200 ? `status ${status}: ${text.slice(0, 1000)}` : null

function answerProblem(answer: RawAnswer): string | null {
  const failed = statusProblem(answer)
  if (failed) return failed
  const type = answer.header('content-type')
  // An address outside /v1 does not belong to the API, and is answered in plain text.
  if (type?.startsWith('text/plain')) return null
  if (answer.header('x-request-id') === null) return `no x-request-id: ${answer.text.slice(0, 500)}`
  try {
    if (type === 'application/json') return answer.status < 400 ? jsonProblem(answer) : errorProblem(answer)
    const events = eventsOf(answer.body)
    const last = events.at(-1) ?? ''
    // A transcript ends with an event of its own.
    return last === '[DONE]' || last.startsWith('{"type":"transcript.text.done"') ? null : `a stream without its end: ${last}`
  } catch (error) {
    return `${String(error)}: ${answer.text.slice(0, 1000)}`
  }
}

function errorProblem(answer: RawAnswer): string | null {
  const { message, type, param, code } = answer.error()
  const isValid = [message, type, code].every((item) => typeof item === 'string' && item !== '')
  return isValid && (param === null || (typeof param === 'string' && param !== '')) ? null : `not an error: ${answer.text}`
}

const jsonProblem = (answer: RawAnswer): string | null =>
  typeof answer.json() === 'object' ? null : `not an object: ${answer.text}`

/** The cost that an answer names, or null if it names none. */
function costOf(answer: RawAnswer): bigint | null {
  const costText = /"cost":([0-9.]+)/.exec(answer.body.toString('utf8'))?.[1] ?? answer.header('x-tollgate-cost')
  return costText === null ? null : parseDecimal(costText)
}
