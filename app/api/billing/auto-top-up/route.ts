import { consoleRoute } from '#app/api/console'
import { autoTopUpInput } from '#lib/contracts/auto-top-up'
import { getAutoTopUp } from '#lib/services/billing/get-auto-top-up'
import { setAutoTopUp } from '#lib/services/billing/set-auto-top-up'

export const GET = consoleRoute(getAutoTopUp)
export const POST = consoleRoute(setAutoTopUp, { input: autoTopUpInput })
