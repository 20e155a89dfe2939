import { formatMessage, type MessageDescriptor, type MessageLike, toMessageDescriptor } from '../messages/message.ts'

/**
 * Every way in which a console verb refuses. lib/console/problem.ts turns the code into a status and the message into the
 * language of the caller. The message is for the person at the console and says what to do next.
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
  /** How long to wait before a retry can succeed. */
  retryAfterMs?: number
}

/** A refused verb. Recognized by `kind` and `code`, because one process can hold two copies of this class. */
export class ServiceError extends Error {
  readonly kind = 'service_error'
  readonly code: ServiceCode
  readonly field: string | null
  readonly retryAfterMs: number | null
  /** The content of `message`, for translation. */
  readonly descriptor: MessageDescriptor

  constructor(code: ServiceCode, message: MessageLike, options: ServiceErrorOptions = {}) {
    const descriptor = toMessageDescriptor(message)
    super(formatMessage(descriptor))
    this.descriptor = descriptor
    this.code = code
    this.field = options.field ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** Recognizes a ServiceError by its `kind`, whichever copy of this module it comes from. */
export function asServiceError(error: unknown): ServiceError | null {
  return typeof error === 'object' && error !== null && (error as { kind?: unknown }).kind === 'service_error'
    ? (error as ServiceError)
    : null
}

/** The error for an input field that cannot be used. */
export const invalidField = (field: string, message: MessageLike): ServiceError =>
  new ServiceError('invalid_input', message, { field })
