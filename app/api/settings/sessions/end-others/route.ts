import { consoleRoute } from '#app/api/console'
import { endOtherSessions } from '#lib/services/end-session'

export const POST = consoleRoute(endOtherSessions, { duringMaintenance: true })
