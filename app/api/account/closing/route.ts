import { consoleRoute } from '#app/api/console'
import { getClosing } from '#lib/services/get-closing'

export const GET = consoleRoute(getClosing)
