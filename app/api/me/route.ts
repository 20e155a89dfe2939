import { consoleRoute } from '#app/api/console'
import { getMe } from '#lib/services/account/get-me'

export const GET = consoleRoute(getMe)
