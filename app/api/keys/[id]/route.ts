import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { updateKeyInput } from '#lib/contracts/keys'
import { getKey } from '#lib/services/get-key'
import { revokeKey } from '#lib/services/revoke-key'
import { updateKey } from '#lib/services/update-key'

export const GET = consoleRoute(getKey, { input: idInput })
export const PATCH = consoleRoute(updateKey, { input: updateKeyInput })
export const DELETE = consoleRoute(revokeKey, { input: idInput, duringMaintenance: true })
