import { operatorRoute } from '#app/api/console'
import { suspendInput } from '#lib/contracts/operator-accounts'
import { suspendAccount } from '#lib/services/operator/suspend-account'

export const POST = operatorRoute(suspendAccount, { input: suspendInput })
