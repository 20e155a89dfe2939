import { operatorRoute } from '#app/api/console'
import { accountRequestsQuery } from '#lib/contracts/operator-accounts'
import { listAccountRequests } from '#lib/services/operator/read-account'

export const GET = operatorRoute(listAccountRequests, { input: accountRequestsQuery, slow: true })
