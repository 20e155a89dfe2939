import { operatorRoute } from '#app/api/console'
import { operatorQuery } from '#lib/contracts/operator'
import { createConnectionInput } from '#lib/contracts/operator-connections'
import { createConnection } from '#lib/services/operator/create-connection'
import { listConnections } from '#lib/services/operator/list-connections'

export const GET = operatorRoute(listConnections, { input: operatorQuery })
export const POST = operatorRoute(createConnection, { input: createConnectionInput, status: 201 })
