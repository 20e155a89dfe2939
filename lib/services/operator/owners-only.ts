import { ServiceError } from '../service-error.ts'

/** The error for an operator who tries to take away or restore an owner's access. */
export const createOwnersOnlyError = (): ServiceError =>
  new ServiceError('not_allowed', 'This account belongs to an owner. Only another owner can do this.')
