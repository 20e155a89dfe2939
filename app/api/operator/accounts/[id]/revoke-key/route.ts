import { operatorRoute } from '#app/api/console'
import { revokeKeyInput } from '#lib/contracts/operator-accounts'
import { revokeAccountKey } from '#lib/services/operator/revoke-account-key'

export const POST = operatorRoute(revokeAccountKey, { input: revokeKeyInput })
