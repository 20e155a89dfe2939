import { type PlaygroundKey, playgroundKey } from '#lib/contracts/playground'
import { parseDecimal } from '#lib/domain/money'
import { ApiError, sendJson } from '../fetch-json.ts'
import { type Json, record, text } from '../history/json.ts'
import { type Figures, NO_FIGURES } from './figures.ts'

/** Why a call failed, in the words of the API. */
export interface Failure {
  /** 0 where there was no answer. */
  status: number
  code: string
  message: string
  requestId: string | null
}

/** A call of the API that was refused, or that broke off. */
export class CallError extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'CallError'
    this.failure = failure
  }
}

/** A key is changed for a new one so long before it ends: what begins just then has to come to its end. */
const RENEW_MS = 10 * 60_000

// In the memory of this page and nowhere else: it goes with the page.
const keys = new Map<string, Promise<PlaygroundKey>>()

async function keyOf(groupId: string): Promise<string> {
  const known = keys.get(groupId)
  if (known) {
    const key = await known.catch(() => null)
    if (key !== null && Date.parse(key.expiresAt) - Date.now() > RENEW_MS) return key.secret
    if (keys.get(groupId) === known) keys.delete(groupId)
  }
  const fresh = keys.get(groupId) ?? sendJson('POST', '/api/playground/key', playgroundKey, { groupId })
  keys.set(groupId, fresh)
  try {
    return (await fresh).secret
  } catch (error) {
    keys.delete(groupId)
    throw error
  }
}

/** The failure that an error body tells of, in the shape that all endpoints share. */
export function failureOf(body: Json | undefined, status: number, requestId: string | null): Failure {
  const said = record(record(body)?.error)
  return {
    status,
    code: text(said?.code) ?? text(said?.type) ?? 'unexpected_answer',
    message: text(said?.message) ?? `HTTP ${status}`,
    requestId,
  }
}

/** What to show of anything that was thrown. */
export function asFailure(error: unknown): Failure {
  if (error instanceof CallError) return error.failure
  if (error instanceof ApiError) return { status: error.status, code: error.code, message: error.message, requestId: null }
  return { status: 0, code: 'unreachable', message: '', requestId: null }
}

interface Call {
  /** After `/v1`. */
  path: string
  groupId: string
  method?: 'GET' | 'POST'
  body?: Json
  form?: () => FormData
  signal?: AbortSignal
}

async function send({ path, groupId, method = 'POST', body, form, signal }: Call): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${await keyOf(groupId)}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const payload = form?.() ?? (body === undefined ? undefined : JSON.stringify(body))
  return fetch(`/v1${path}`, {
    method,
    headers,
    ...(payload === undefined ? {} : { body: payload }),
    ...(signal === undefined ? {} : { signal }),
  })
}

/**
 * Calls the API as any client does, with a key of this page. A key that ended early (its user signed out in another window
 * and in again) is changed for a new one, once. Throws CallError where the API refuses, ApiError where no key is to be had.
 */
export async function callApi(call: Call): Promise<Response> {
  let response = await send(call)
  if (response.status === 401) {
    keys.delete(call.groupId)
    response = await send(call)
  }
  if (response.ok) return response
  const body = (await response.json().catch(() => null)) as Json
  throw new CallError(failureOf(body, response.status, response.headers.get('x-request-id')))
}

/** What an answer's headers say of it. */
export function headerFigures(response: Response): Figures {
  const cost = parseDecimal(response.headers.get('x-tollgate-cost') ?? '')
  return { ...NO_FIGURES, requestId: response.headers.get('x-request-id'), costNano: cost?.toString() ?? null }
}
