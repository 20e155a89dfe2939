import { consoleRoute } from '#app/api/console'
import { playgroundKeyInput } from '#lib/contracts/playground'
import { createPlaygroundKey } from '#lib/services/playground/create-playground-key'
import { revokePlaygroundKeys } from '#lib/services/playground/revoke-playground-keys'

export const POST = consoleRoute(createPlaygroundKey, { input: playgroundKeyInput, status: 201 })
export const DELETE = consoleRoute(revokePlaygroundKeys, { duringMaintenance: true })
