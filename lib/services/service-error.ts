import { asSaid, type Said, type Told, written } from '../messages/said.ts'

/**
 * Every way in which a console verb refuses. lib/console/problem.ts turns the code into a status, and the message into the
 * language of whoever asked; it is for the person in front of the console and says what to do next.
 */
export type ServiceCode =
  | 'invalid_input'
  | 'signed_out'
  | 'other_account'
  | 'wrong_credentials'
  | 'second_step'
  | 'wrong_code'
  | 'wrong_password'
  | 'bad_link'
  | 'wrong_origin'
  | 'not_allowed'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'wrong_content'
  | 'rate_limit_exceeded'
  | 'unavailable'

export interface ServiceErrorOptions {
  /** The form field at fault. */
  field?: string
  /** After how long a repeat can succeed. */
  retryAfterMs?: number
}

/** A verb that is turned down. Told apart by `kind` and `code`: two copies of this class can be in one process. */
export class ServiceError extends Error {
  readonly kind = 'service_error'
  readonly code: ServiceCode
  readonly field: string | null
  readonly retryAfterMs: number | null
  /** What `message` says in English, for other languages. */
  readonly said: Said

  constructor(code: ServiceCode, told: Told, options: ServiceErrorOptions = {}) {
    const said = asSaid(told)
    super(written(said))
    this.said = said
    this.code = code
    this.field = options.field ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** Tells a ServiceError by its mark, from whichever copy of this module it comes. */
export function asServiceError(error: unknown): ServiceError | null {
  return typeof error === 'object' && error !== null && (error as { kind?: unknown }).kind === 'service_error'
    ? (error as ServiceError)
    : null
}

/** A field of the input that cannot be used. */
export const invalidField = (field: string, told: Told): ServiceError => new ServiceError('invalid_input', told, { field })
