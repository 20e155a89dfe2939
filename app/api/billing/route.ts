import { consoleRoute } from '#app/api/console'
import { getBilling } from '#lib/services/billing/get-billing'

export const GET = consoleRoute(getBilling)
