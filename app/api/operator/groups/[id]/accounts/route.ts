import { operatorRoute } from '#app/api/console'
import { groupAccountQuery } from '#lib/contracts/operator-groups'
import { listGroupAccounts } from '#lib/services/operator/list-group-accounts'

export const GET = operatorRoute(listGroupAccounts, { input: groupAccountQuery })
