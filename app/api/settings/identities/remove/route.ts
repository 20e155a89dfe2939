import { consoleRoute } from '#app/api/console'
import { identityInput } from '#lib/contracts/sign-in'
import { removeIdentity } from '#lib/services/account/remove-identity'

export const POST = consoleRoute(removeIdentity, { input: identityInput })
