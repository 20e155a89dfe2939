import { operatorRoute } from '#app/api/console'
import { roleInput } from '#lib/contracts/operator-accounts'
import { changeRole } from '#lib/services/operator/change-person'

export const POST = operatorRoute(changeRole, { input: roleInput })
