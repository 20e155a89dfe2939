import { consoleRoute } from '#app/api/console'
import { getBilling } from '#lib/services/get-billing'

export const GET = consoleRoute(getBilling)
