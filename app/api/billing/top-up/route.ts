import { consoleRoute } from '#app/api/console'
import { topUpInput } from '#lib/contracts/billing'
import { startTopUp } from '#lib/services/billing/start-top-up'

export const POST = consoleRoute(startTopUp, { input: topUpInput, status: 201 })
