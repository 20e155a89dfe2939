import { operatorRoute } from '#app/api/console'
import { accountIdInput } from '#lib/contracts/operator-accounts'
import { signOutPerson } from '#lib/services/operator/change-person'

export const POST = operatorRoute(signOutPerson, { input: accountIdInput })
