import { operatorRoute } from '#app/api/console'
import { operatorQuery } from '#lib/contracts/operator'
import { listBalances } from '#lib/services/operator/connection-balances'

export const GET = operatorRoute(listBalances, { input: operatorQuery })
