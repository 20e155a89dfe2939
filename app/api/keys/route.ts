import { consoleRoute } from '#app/api/console'
import { createKeyInput, keyQuery } from '#lib/contracts/keys'
import { createKey } from '#lib/services/keys/create-key'
import { listKeys } from '#lib/services/keys/list-keys'

export const GET = consoleRoute(listKeys, { input: keyQuery })
export const POST = consoleRoute(createKey, { input: createKeyInput, status: 201 })
