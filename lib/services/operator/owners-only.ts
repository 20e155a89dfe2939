import { ServiceError } from '../service-error.ts'

/** What an operator is told who would take an owner's access away, or give it back. */
export const ownersOnly = (): ServiceError =>
  new ServiceError('not_allowed', 'This account belongs to an owner. Only another owner can do this.')
