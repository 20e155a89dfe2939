import { operatorRoute } from '#app/api/console'
import { operatorQuery } from '#lib/contracts/operator'
import { createGroupInput } from '#lib/contracts/operator-groups'
import { createGroup } from '#lib/services/operator/create-group'
import { listOperatorGroups } from '#lib/services/operator/list-operator-groups'

export const GET = operatorRoute(listOperatorGroups, { input: operatorQuery })
export const POST = operatorRoute(createGroup, { input: createGroupInput, status: 201 })
