import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { revokeKey } from '#lib/services/revoke-key'

export const DELETE = consoleRoute(revokeKey, { input: idInput })
