import type { z } from 'zod'
import { problem } from '#lib/contracts/common'
import { ACCOUNT_HEADER } from '#lib/contracts/session'

/** A refused or failed call. `field` names the invalid form field, if the server named one. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly field: string | null
  constructor(status: number, code: string, message: string, field: string | null = null) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.field = field
  }
}

let pageAccount: string | null = null

/** Sets the account of the current page, which calls send along. Null for a page without an account. Only for the browser. */
export function setPageAccount(accountId: string | null): void {
  pageAccount = accountId
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Error codes by status, for responses without a problem body: these come from something between the page and the gateway. */
const CODES: Record<number, string> = {
  401: 'signed_out',
  429: 'too_many_requests',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
}

function toApiError(status: number, body: unknown): ApiError {
  const parsed = problem.safeParse(body)
  if (!parsed.success) return new ApiError(status, CODES[status] ?? 'unexpected_answer', `HTTP ${status}`)
  const { code, message, field } = parsed.data.error
  return new ApiError(status, code, message, field ?? null)
}

/**
 * Calls the console's API and checks the response against its contract. Throws an `ApiError`: with the server's code and field
 * if it refused, `unreachable` if there was no response, `too_many_requests`, or `unexpected_answer` if the response does not
 * match the contract.
 */
export async function fetchJson<T extends z.ZodType>(path: string, schema: T, init: RequestInit = {}): Promise<z.output<T>> {
  const throwUnreachable = () => {
    throw new ApiError(0, 'unreachable', 'The gateway did not answer.')
  }
  const headers = {
    accept: 'application/json',
    ...(pageAccount === null ? {} : { [ACCOUNT_HEADER]: pageAccount }),
    ...init.headers,
  }
  const response = await fetch(path, { ...init, headers }).catch(throwUnreachable)
  // A response that breaks off counts as no response.
  const body = await readBody(response).catch(throwUnreachable)
  if (!response.ok) throw toApiError(response.status, body)
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw new ApiError(response.status, 'unexpected_answer', `${path}: ${parsed.error.message}`)
  return parsed.data
}

/** Sends JSON with a method that changes something. Otherwise like `fetchJson`. */
export function sendJson<T extends z.ZodType>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  schema: T,
  body: unknown = {},
): Promise<z.output<T>> {
  return fetchJson(path, schema, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
