import { consoleRoute } from '#app/api/console'
import { rotateKeyInput } from '#lib/contracts/keys'
import { rotateKey } from '#lib/services/keys/rotate-key'

export const POST = consoleRoute(rotateKey, { input: rotateKeyInput })
