import { consoleRoute } from '#app/api/console'
import { listSessions } from '#lib/services/account/list-sessions'

export const GET = consoleRoute(listSessions)
