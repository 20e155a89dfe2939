import { operatorRoute } from '#app/api/console'
import { accountEntriesQuery } from '#lib/contracts/operator-accounts'
import { listAccountEntries } from '#lib/services/operator/read-account'

export const GET = operatorRoute(listAccountEntries, { input: accountEntriesQuery })
