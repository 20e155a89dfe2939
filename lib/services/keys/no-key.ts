import { ServiceError } from '../service-error.ts'

/** There is none of this id, or it is another account's. */
export const noKey = (): ServiceError => new ServiceError('not_found', 'There is no such key.')
