import { consoleRoute } from '#app/api/console'
import { redeemInput } from '#lib/contracts/billing'
import { redeemCode } from '#lib/services/billing/redeem-code'

export const POST = consoleRoute(redeemCode, { input: redeemInput })
