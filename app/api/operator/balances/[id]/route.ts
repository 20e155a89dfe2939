import { operatorRoute } from '#app/api/console'
import { stateBalanceInput } from '#lib/contracts/operator-alerts'
import { stateBalance } from '#lib/services/operator/connection-balances'

export const PATCH = operatorRoute(stateBalance, { input: stateBalanceInput })
