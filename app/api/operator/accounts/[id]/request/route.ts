import { operatorRoute } from '#app/api/console'
import { accountRequestQuery } from '#lib/contracts/operator-accounts'
import { getAccountRequest } from '#lib/services/operator/read-account'

export const GET = operatorRoute(getAccountRequest, { input: accountRequestQuery, slow: true })
