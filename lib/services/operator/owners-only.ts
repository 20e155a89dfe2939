import { ServiceError } from '../service-error.ts'

/** The error for an operator who tries to take away or restore an owner's access. */
export const createOwnersOnlyError = (): ServiceError =>
  new ServiceError('not_allowed', 'This account belongs to an owner. Only another owner can do this.')

/** The errors for an operator who is no owner, and tries to change the balance of their own account or an owner's. */
export const MONEY_ERRORS: Record<'own' | 'owners', () => ServiceError> = {
  own: () => new ServiceError('not_allowed', 'You cannot change the balance of your own account. Ask an owner.'),
  owners: createOwnersOnlyError,
}
