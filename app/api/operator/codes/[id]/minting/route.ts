import { operatorRoute } from '#app/api/console'
import { accountIdInput } from '#lib/contracts/operator-accounts'
import { withdrawMinting } from '#lib/services/operator/withdraw-minting'

export const DELETE = operatorRoute(withdrawMinting, { input: accountIdInput })
