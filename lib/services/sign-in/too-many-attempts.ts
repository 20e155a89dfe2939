import { messageWith } from '../../messages/message.ts'
import { ServiceError } from '../service-error.ts'

/** The error for too many attempts, with how long to wait. */
export function createTooManyAttemptsError(waitMs: number): ServiceError {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  const message =
    minutes === 1
      ? 'Too many attempts. Wait a minute and try again.'
      : messageWith('Too many attempts. Wait {minutes} minutes and try again.', { minutes })
  return new ServiceError('rate_limit_exceeded', message, { retryAfterMs: waitMs })
}
