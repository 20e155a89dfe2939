import { consoleRoute } from '#app/api/console'
import { lowBalanceInput } from '#lib/contracts/billing'
import { setLowBalance } from '#lib/services/alerts/set-low-balance'

export const POST = consoleRoute(setLowBalance, { input: lowBalanceInput })
