import { operatorRoute } from '#app/api/console'
import { accountIdInput } from '#lib/contracts/operator-accounts'
import { resetSecondStep } from '#lib/services/operator/change-person'

export const POST = operatorRoute(resetSecondStep, { input: accountIdInput })
