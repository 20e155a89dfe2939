import { ServiceError } from './service-error.ts'

/** The refusal of somebody who tried too often, with how long to wait. */
export function tooManyTries(waitMs: number): ServiceError {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return new ServiceError('rate_limit_exceeded', `Too many tries. Wait ${wait} and try again.`, { retryAfterMs: waitMs })
}
