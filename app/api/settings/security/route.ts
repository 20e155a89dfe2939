import { consoleRoute } from '#app/api/console'
import { getSecurity } from '#lib/services/get-security'

export const GET = consoleRoute(getSecurity)
