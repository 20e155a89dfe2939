import type { Problem } from '../contracts/common.ts'
import type { Locale } from '../contracts/locales.ts'
import { formatForLocale } from '../messages/format-for-locale.ts'
import type { MessageDescriptor } from '../messages/message.ts'
import { asServiceError, type ServiceCode, ServiceError } from '../services/service-error.ts'
import { localeOf } from './locale.ts'

/** A log that takes pino's two arguments. */
export interface ConsoleLog {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
}

const STATUS: Record<ServiceCode, number> = {
  invalid_input: 400,
  signed_out: 401,
  other_account: 409,
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

/** Answers with JSON that must not be cached: what the console reads is personal, and true only now. */
export function jsonAnswer(body: unknown, status: number, headers: Record<string, string> = {}): Response {
  return Response.json(body, {
    status,
    headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers },
  })
}

function problemOf(error: ServiceError, locale: Locale): Response {
  const message = locale === 'en' ? error.message : formatForLocale(error.descriptor, locale)
  const body: Problem = { error: { code: error.code, message, ...(error.field === null ? {} : { field: error.field }) } }
  const headers: Record<string, string> = {}
  if (error.retryAfterMs !== null) headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)))
  return jsonAnswer(body, STATUS[error.code] ?? 500, headers)
}

/** The error for an account that was closed while something was written for it; null if the store reported something else. */
function accountClosedErrorOf(error: unknown): ServiceError | null {
  const isClosed = error instanceof Error && (error as { code?: unknown }).code === 'account_closed'
  return isClosed ? new ServiceError('conflict', 'This account has since been closed.') : null
}

const SERVER_ERROR_MESSAGE: MessageDescriptor = {
  message: 'Something went wrong on our side. Try again in a moment.',
  values: {},
}

/**
 * Answers an error in the language of the caller's pages. A ServiceError is told in its own words. For any other error the
 * caller learns only that it is our fault, and the log gets the details.
 */
export function problemAnswer(error: unknown, request: Request, log: ConsoleLog): Response {
  const known = asServiceError(error) ?? accountClosedErrorOf(error)
  const locale = localeOf(request.headers)
  if (known) return problemOf(known, locale)
  const thrown: Error & { code?: unknown } = error instanceof Error ? error : new Error(String(error))
  const { name, message, stack, code } = thrown
  // Only the path: a query can contain what somebody searched for.
  const path = new URL(request.url).pathname
  log.error({ method: request.method, path, error: { name, message, stack, code } }, 'a console request failed')
  const body: Problem = { error: { code: 'server_error', message: formatForLocale(SERVER_ERROR_MESSAGE, locale) } }
  return jsonAnswer(body, 500)
}
