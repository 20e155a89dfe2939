import { ServiceError } from '../service-error.ts'

/** The refusal of a link that was used, is over, was replaced by a newer one, or never was. */
export const badLink = (): ServiceError =>
  new ServiceError(
    'bad_link',
    'This link is not good any more: it was used, is too old, or a newer one was sent. Ask for another.',
    { field: 'token' },
  )
