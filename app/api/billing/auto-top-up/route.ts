import { consoleRoute } from '#app/api/console'
import { autoTopUpInput } from '#lib/contracts/auto-top-up'
import { getAutoTopUp } from '#lib/services/get-auto-top-up'
import { setAutoTopUp } from '#lib/services/set-auto-top-up'

export const GET = consoleRoute(getAutoTopUp)
export const POST = consoleRoute(setAutoTopUp, { input: autoTopUpInput })
