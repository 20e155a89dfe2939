import type { Dispatcher } from 'undici'
import type { Connection } from '../domain/catalog.ts'
import { isPlainObject } from '../domain/is-plain-object.ts'
import { parseRetryAfter } from '../domain/retry-after.ts'
import type { TaskJson } from '../domain/task.ts'
import { failureOf } from './http-failure.ts'
import { postJson, type Target, targetOf } from './upstream.ts'
import { hasAnswer, VendorFailure, type VideoState, type Videos, type WireAnswer } from './vendor.ts'

/** The largest answer, in bytes. A task's JSON needs less. */
const MAX_ANSWER_BYTES = 1024 * 1024

type Fields = Record<string, unknown>

const PATH = '/videos/generations'

/** Reads an answer's text. Throws VendorFailure as soon as it is longer than any task's JSON can be. */
async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.byteLength
    if (bytes > MAX_ANSWER_BYTES) throw new VendorFailure('unreadable', 'an answer that is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

const readFields = async (answer: WireAnswer): Promise<Fields> => fieldsOf(await readText(answer.body))

/** Ids are put into URLs and into the database, and neither accepts every text. */
const isId = (id: unknown): id is string => typeof id === 'string' && /^[\x21-\x7e]{1,500}$/.test(id) && !/^\.\.?$/.test(id)

function fieldsOf(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text)
    if (isPlainObject(value)) return value
  } catch {
    // It is not JSON.
  }
  throw new VendorFailure('unreadable', 'no JSON object')
}

const pauseIn = (headers: Readonly<Record<string, unknown>>): { inMs?: number } => {
  const seconds = parseRetryAfter(headers, Date.now())
  return seconds === null ? {} : { inMs: seconds * 1000 }
}

/** Reads the state of a task from this wire. Throws VendorFailure if it is not one. */
export function readVideo(fields: Fields): VideoState {
  const { status, video_url: url, error, usage, duration } = fields
  if (status === 'pending' || status === 'processing') return { state: 'processing' }
  if (status === 'failed') return { state: 'failed', message: typeof error === 'string' ? error : messageOf(error) }
  if (status !== 'completed') throw new VendorFailure('unreadable', 'a status that is not known')
  if (typeof url !== 'string' || url === '') throw new VendorFailure('unreadable', 'a finished video without an address')
  const billed = (usage as { video_seconds?: unknown } | null | undefined)?.video_seconds ?? duration
  return { state: 'completed', source: { url }, ...(typeof billed === 'number' ? { seconds: billed } : {}) }
}

const messageOf = (error: unknown): string => {
  const message = (error as { message?: unknown } | null | undefined)?.message
  return typeof message === 'string' ? message : ''
}

/** The vendor's id of a task, escaped for a URL. Throws VendorFailure if it is not a task of this wire. */
function idOf(operation: TaskJson): string {
  const id = (operation as { id?: unknown } | null)?.id
  if (typeof id !== 'string') throw new VendorFailure('misconfigured', 'a task of another vendor')
  return encodeURIComponent(id)
}

/**
 * Videos of a vendor that speaks the specification's own wire (4.9 and 4.10), such as another Tollgate. `idempotent` says that
 * it supports the Idempotency-Key header. Without that, a request whose answer was lost is not retried.
 */
export function createWireVideos(
  connection: Connection,
  agent: Dispatcher,
  headers: Record<string, string>,
  { idempotent }: { idempotent: boolean },
): Videos {
  const targetFor = (path: string): Target => targetOf(connection.baseUrl ?? '', path)

  async function requestTask(path: string, method: 'GET' | 'POST', signal: AbortSignal) {
    try {
      const { 'content-type': _, ...requestHeaders } = headers
      const answer = await agent.request({ method, ...targetFor(path), headers: requestHeaders, signal })
      const text = await readText(answer.body)
      return { status: answer.statusCode, headers: answer.headers, text }
    } catch (error) {
      throw failureOf(error)
    }
  }

  return {
    idempotent,
    async submit({ deployment, prompt, seconds, key, signal }) {
      const body = JSON.stringify({ model: deployment.upstreamModel, prompt, duration: seconds, async: true })
      const answer = await postJson(agent, targetFor(PATH), { ...headers, 'idempotency-key': key }, body, { signal })
      if (answer.status < 200 || answer.status > 299) return answer
      const { id } = await readFields(answer).catch((error: unknown) => {
        throw failureOf(error)
      })
      if (!isId(id)) throw new VendorFailure('unreadable', 'a task without an id')
      return { k: 'started', operation: { id }, ...pauseIn(answer.headers) }
    },
    async poll(operation, { signal }) {
      const answer = await requestTask(`${PATH}/${idOf(operation)}`, 'GET', signal)
      if (answer.status === 404) return { state: 'failed', message: 'The vendor of this model no longer knows the video.' }
      if (!hasAnswer(answer.status)) throw new VendorFailure('cut', `status ${answer.status}`)
      const state = readVideo(fieldsOf(answer.text))
      return state.state === 'processing' ? { ...state, ...pauseIn(answer.headers) } : state
    },
    async cancel(operation, { signal }) {
      const { status } = await requestTask(`${PATH}/${idOf(operation)}/cancel`, 'POST', signal)
      // Otherwise it has ended, cannot be canceled, or is unknown: a retry would get the same answer.
      if (status >= 500 || status === 429) throw new VendorFailure('cut', `status ${status}`)
    },
  }
}
