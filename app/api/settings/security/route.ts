import { consoleRoute } from '#app/api/console'
import { getSecurity } from '#lib/services/account/get-security'

export const GET = consoleRoute(getSecurity)
