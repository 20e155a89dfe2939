import { operatorRoute } from '#app/api/console'
import { archiveInput, operatorIdInput } from '#lib/contracts/operator'
import { updateConnectionInput } from '#lib/contracts/operator-connections'
import { archiveConnection } from '#lib/services/operator/archive'
import { getConnection } from '#lib/services/operator/get-connection'
import { updateConnection } from '#lib/services/operator/update-connection'

export const GET = operatorRoute(getConnection, { input: operatorIdInput })
export const PATCH = operatorRoute(updateConnection, { input: updateConnectionInput })
export const DELETE = operatorRoute(archiveConnection, { input: archiveInput })
