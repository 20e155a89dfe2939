import type { Problem } from '../contracts/common.ts'
import { asServiceError, type ServiceCode, type ServiceError } from '../services/service-error.ts'

/** What a log takes: pino's two arguments. */
export interface ConsoleLog {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
}

const STATUS: Record<ServiceCode, number> = {
  invalid_input: 400,
  signed_out: 401,
  wrong_credentials: 401,
  second_step: 401,
  wrong_code: 400,
  wrong_password: 400,
  bad_link: 400,
  wrong_origin: 403,
  not_allowed: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  wrong_content: 415,
  rate_limit_exceeded: 429,
  unavailable: 503,
}

/** Answers JSON that nobody keeps: what the console reads is of one person and of this moment. */
export function jsonAnswer(body: unknown, status: number, headers: Record<string, string> = {}): Response {
  return Response.json(body, {
    status,
    headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers },
  })
}

function problemOf(error: ServiceError): Response {
  const body: Problem = {
    error: { code: error.code, message: error.message, ...(error.field === null ? {} : { field: error.field }) },
  }
  const headers: Record<string, string> = {}
  if (error.retryAfterMs !== null) headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)))
  return jsonAnswer(body, STATUS[error.code] ?? 500, headers)
}

/**
 * What a caller is told of an error: a ServiceError in its own words; of anything else only that it was
 * our fault, while the log has the rest.
 */
export function problemAnswer(error: unknown, request: Request, log: ConsoleLog): Response {
  const known = asServiceError(error)
  if (known) return problemOf(known)
  const thrown: Error & { code?: unknown } = error instanceof Error ? error : new Error(String(error))
  const { name, message, stack, code } = thrown
  // The path only: a query can hold what somebody searched for.
  const path = new URL(request.url).pathname
  log.error({ method: request.method, path, error: { name, message, stack, code } }, 'a console request failed')
  const body: Problem = { error: { code: 'server_error', message: 'Something went wrong on our side. Try again in a moment.' } }
  return jsonAnswer(body, 500)
}
