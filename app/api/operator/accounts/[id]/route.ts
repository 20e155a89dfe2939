import { operatorRoute } from '#app/api/console'
import { accountIdInput } from '#lib/contracts/operator-accounts'
import { getAccount } from '#lib/services/operator/get-account'

export const GET = operatorRoute(getAccount, { input: accountIdInput })
