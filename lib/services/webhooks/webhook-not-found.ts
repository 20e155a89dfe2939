import { ServiceError } from '../service-error.ts'

/** No endpoint has this id, or it belongs to another account. */
export const createWebhookNotFoundError = (): ServiceError => new ServiceError('not_found', 'There is no such endpoint.')
