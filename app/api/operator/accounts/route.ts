import { operatorRoute } from '#app/api/console'
import { accountQuery } from '#lib/contracts/operator-accounts'
import { listAccounts } from '#lib/services/operator/list-accounts'

export const GET = operatorRoute(listAccounts, { input: accountQuery })
