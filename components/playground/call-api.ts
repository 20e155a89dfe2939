import { type PlaygroundKey, playgroundKey } from '#lib/contracts/playground'
import { parseDecimal } from '#lib/domain/money'
import { ApiError, sendJson } from '../fetch-json.ts'
import { asRecord, asText, type Json } from '../history/json.ts'
import { type Figures, NO_FIGURES } from './figures.ts'

/** Why a call failed, in the words of the API. */
export interface Failure {
  /** 0 if there was no response. */
  status: number
  code: string
  message: string
  requestId: string | null
}

/** A call of the API that was refused or broke off. */
export class CallError extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'CallError'
    this.failure = failure
  }
}

/** A key is renewed this long before it expires, so that a call that starts just before then can finish. */
const RENEW_BEFORE_EXPIRY_MS = 10 * 60_000

// Kept only in the memory of this page, and lost with it.
const keys = new Map<string, Promise<PlaygroundKey>>()

async function obtainKey(groupId: string): Promise<string> {
  const known = keys.get(groupId)
  if (known) {
    const key = await known.catch(() => null)
    if (key !== null && Date.parse(key.expiresAt) - Date.now() > RENEW_BEFORE_EXPIRY_MS) return key.secret
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

/** Reads the failure from an error body, which has the same shape at all endpoints. */
export function failureOf(body: Json | undefined, status: number, requestId: string | null): Failure {
  const errorBody = asRecord(asRecord(body)?.error)
  return {
    status,
    code: asText(errorBody?.code) ?? asText(errorBody?.type) ?? 'unexpected_answer',
    message: asText(errorBody?.message) ?? `HTTP ${status}`,
    requestId,
  }
}

/** Converts any thrown value to a failure that can be shown. */
export function asFailure(error: unknown): Failure {
  if (error instanceof CallError) return error.failure
  if (error instanceof ApiError) return { status: error.status, code: error.code, message: error.message, requestId: null }
  return { status: 0, code: 'unreachable', message: '', requestId: null }
}

interface Call {
  /** The path after `/v1`. */
  path: string
  groupId: string
  method?: 'GET' | 'POST'
  body?: Json
  form?: () => FormData
  signal?: AbortSignal
}

async function send({ path, groupId, method = 'POST', body, form, signal }: Call): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${await obtainKey(groupId)}` }
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
 * Calls the API like any client, with a key of this page. If a key was revoked early (its user signed out in another window and
 * signed in again), the call is retried once with a new key. Throws a CallError if the API refuses, an ApiError if no key can
 * be obtained.
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

/** Reads the figures that are in the headers of a response. */
export function figuresOfHeaders(response: Response): Figures {
  const cost = parseDecimal(response.headers.get('x-tollgate-cost') ?? '')
  return { ...NO_FIGURES, requestId: response.headers.get('x-request-id'), costNano: cost?.toString() ?? null }
}
