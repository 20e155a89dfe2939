import { ServiceError } from '../service-error.ts'

/** The refusal of a link that was used, is over, was replaced by a newer one, or never was. */
export const badLink = (): ServiceError =>
  new ServiceError(
    'bad_link',
    'This link is no longer valid: it was already used, has expired, or was replaced by a newer one. Request a new one.',
    { field: 'token' },
  )
