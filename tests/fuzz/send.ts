import { setTimeout as sleep } from 'node:timers/promises'
import { parseDecimal } from '#lib/domain/money'
import { eventsOf, type RawAnswer, RawConnection } from '../support/raw-client.ts'
import type { FuzzRequest } from './made.ts'

/** An answer may take this long; nothing that is asked here takes a tenth of it. */
const PATIENCE_MS = 30_000

/** What came of one request. */
export interface FuzzResult {
  /** The status of each answer; 0 where the connection ended without one. */
  statuses: number[]
  /** Why this may not be; null where all is well. */
  wrong: string | null
  /** What answers cost that were received whole, by request id. Replays are not among them. */
  costs: [requestId: string, costNano: bigint][]
}

/** Sends a request and judges what comes back. Rejects only where nothing listens any more. */
export async function sendFuzz(url: string, request: FuzzRequest): Promise<FuzzResult> {
  const connection = await RawConnection.open(url)
  const result: FuzzResult = { statuses: [], wrong: null, costs: [] }
  const late = AbortSignal.timeout(PATIENCE_MS)
  late.addEventListener('abort', () => {
    result.wrong ??= `no answer within ${PATIENCE_MS} ms`
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

/** What comes of bytes that are no request: anything but a failure of ours. */
async function readAnything(connection: RawConnection, result: FuzzResult): Promise<void> {
  // Whoever closes a side at once is taken for gone, and what was good in it is never answered.
  await sleep(30)
  connection.socket.end()
  const text = (await connection.untilClosed()).toString('latin1')
  for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
    result.statuses.push(Number(status))
    if (Number(status) >= 500) result.wrong ??= `status ${status}: ${text.slice(0, 1000)}`
  }
}

/** Reads and judges one answer; false where the connection ended with it. */
async function readOne(connection: RawConnection, bodyless: boolean, result: FuzzResult): Promise<boolean> {
  let answer: RawAnswer
  try {
    answer = await connection.answer({ bodyless })
  } catch (error) {
    result.statuses.push(0)
    result.wrong ??= String(error)
    return false
  }
  result.statuses.push(answer.status)
  result.wrong ??= bodyless ? wrongStatus(answer) : wrongOf(answer)
  const id = answer.header('x-request-id')
  const cost = answer.status === 200 && answer.header('x-tollgate-replayed') === null ? costOf(answer) : null
  if (id !== null && cost !== null) result.costs.push([id, cost])
  // After 413 and the like the rest of the connection is not read.
  return answer.header('connection') !== 'close' && answer.status !== 413
}

const wrongStatus = ({ status, text }: RawAnswer): string | null =>
  status >= 500 || status < 200 ? `status ${status}: ${text.slice(0, 1000)}` : null

function wrongOf(answer: RawAnswer): string | null {
  const failed = wrongStatus(answer)
  if (failed) return failed
  const type = answer.header('content-type')
  // What lies outside of /v1 is not the API's, and says so in plain text.
  if (type?.startsWith('text/plain')) return null
  if (answer.header('x-request-id') === null) return `no x-request-id: ${answer.text.slice(0, 500)}`
  try {
    if (type === 'application/json') return answer.status < 400 ? wrongJson(answer) : wrongError(answer)
    const events = eventsOf(answer.body)
    const last = events.at(-1) ?? ''
    // Transcripts have an end of their own.
    return last === '[DONE]' || last.startsWith('{"type":"transcript.text.done"') ? null : `a stream without its end: ${last}`
  } catch (error) {
    return `${String(error)}: ${answer.text.slice(0, 1000)}`
  }
}

function wrongError(answer: RawAnswer): string | null {
  const { message, type, param, code } = answer.error()
  const good = [message, type, code].every((item) => typeof item === 'string' && item !== '')
  return good && (param === null || (typeof param === 'string' && param !== '')) ? null : `not an error: ${answer.text}`
}

const wrongJson = (answer: RawAnswer): string | null =>
  typeof answer.json() === 'object' ? null : `not an object: ${answer.text}`

/** What an answer says that it cost; null where it does not say. */
function costOf(answer: RawAnswer): bigint | null {
  const said = /"cost":([0-9.]+)/.exec(answer.body.toString('utf8'))?.[1] ?? answer.header('x-tollgate-cost')
  return said === null ? null : parseDecimal(said)
}
