import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { endSession } from '#lib/services/account/end-session'

export const DELETE = consoleRoute(endSession, { input: idInput, duringMaintenance: true })
