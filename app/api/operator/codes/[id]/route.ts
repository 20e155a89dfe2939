import { operatorRoute } from '#app/api/console'
import { accountIdInput } from '#lib/contracts/operator-accounts'
import { withdrawCode } from '#lib/services/operator/withdraw-code'

export const DELETE = operatorRoute(withdrawCode, { input: accountIdInput })
