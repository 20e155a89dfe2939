import { ServiceError } from '../service-error.ts'

/** There is none of this id, or it is another account's. */
export const noWebhook = (): ServiceError => new ServiceError('not_found', 'There is no such endpoint.')
