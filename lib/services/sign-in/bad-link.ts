import { ServiceError } from '../service-error.ts'

/** The error for a link that was used, has expired, was replaced by a newer one, or never existed. */
export const createBadLinkError = (): ServiceError =>
  new ServiceError(
    'bad_link',
    'This link is no longer valid: it was already used, has expired, or was replaced by a newer one. Request a new one.',
    { field: 'token' },
  )
