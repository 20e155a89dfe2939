import { operatorRoute } from '#app/api/console'
import { accountIdInput } from '#lib/contracts/operator-accounts'
import { resumeAccount } from '#lib/services/operator/suspend-account'

export const POST = operatorRoute(resumeAccount, { input: accountIdInput })
