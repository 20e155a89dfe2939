import { consoleRoute } from '#app/api/console'
import { endOtherSessions } from '#lib/services/account/end-session'

export const POST = consoleRoute(endOtherSessions, { duringMaintenance: true })
