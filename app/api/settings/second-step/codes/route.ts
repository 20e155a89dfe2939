import { consoleRoute } from '#app/api/console'
import { proofInput } from '#lib/contracts/sign-in'
import { renewRecoveryCodes } from '#lib/services/account/renew-recovery-codes'

export const POST = consoleRoute(renewRecoveryCodes, { input: proofInput })
