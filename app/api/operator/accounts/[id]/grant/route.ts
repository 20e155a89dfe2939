import { operatorRoute } from '#app/api/console'
import { moneyInput } from '#lib/contracts/operator-accounts'
import { grantToAccount } from '#lib/services/operator/change-credit'

export const POST = operatorRoute(grantToAccount, { input: moneyInput })
