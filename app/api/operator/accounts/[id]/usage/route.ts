import { operatorRoute } from '#app/api/console'
import { accountUsageQuery } from '#lib/contracts/operator-accounts'
import { getAccountUsage } from '#lib/services/operator/read-account'

export const GET = operatorRoute(getAccountUsage, { input: accountUsageQuery, slow: true })
