import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { updateKeyInput } from '#lib/contracts/keys'
import { getKey } from '#lib/services/keys/get-key'
import { revokeKey } from '#lib/services/keys/revoke-key'
import { updateKey } from '#lib/services/keys/update-key'

export const GET = consoleRoute(getKey, { input: idInput })
export const PATCH = consoleRoute(updateKey, { input: updateKeyInput })
export const DELETE = consoleRoute(revokeKey, { input: idInput, duringMaintenance: true })
