import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { endOverlap } from '#lib/services/keys/end-overlap'

export const POST = consoleRoute(endOverlap, { input: idInput, duringMaintenance: true })
