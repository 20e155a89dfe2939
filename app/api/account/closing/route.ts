import { consoleRoute } from '#app/api/console'
import { getClosing } from '#lib/services/account/get-closing'

export const GET = consoleRoute(getClosing)
