import { ServiceError } from '../service-error.ts'

/** No key has this id, or it belongs to another account. */
export const createKeyNotFoundError = (): ServiceError => new ServiceError('not_found', 'There is no such key.')
