import { operatorRoute } from '#app/api/console'
import { accountListQuery } from '#lib/contracts/operator-accounts'
import { listAccountRequests } from '#lib/services/operator/read-account'

export const GET = operatorRoute(listAccountRequests, { input: accountListQuery, slow: true })
