import { operatorRoute } from '#app/api/console'
import { archiveInput, operatorIdInput } from '#lib/contracts/operator'
import { updateGroupInput } from '#lib/contracts/operator-groups'
import { archiveGroup } from '#lib/services/operator/archive'
import { getOperatorGroup } from '#lib/services/operator/get-operator-group'
import { updateGroup } from '#lib/services/operator/update-group'

export const GET = operatorRoute(getOperatorGroup, { input: operatorIdInput })
export const PATCH = operatorRoute(updateGroup, { input: updateGroupInput })
export const DELETE = operatorRoute(archiveGroup, { input: archiveInput })
