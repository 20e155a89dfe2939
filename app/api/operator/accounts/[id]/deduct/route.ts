import { operatorRoute } from '#app/api/console'
import { moneyInput } from '#lib/contracts/operator-accounts'
import { deductFromAccount } from '#lib/services/operator/change-credit'

export const POST = operatorRoute(deductFromAccount, { input: moneyInput })
