import { consoleRoute } from '#app/api/console'
import { closeInput } from '#lib/contracts/account'
import { closeAccount } from '#lib/services/account/close-account'

export const POST = consoleRoute(closeAccount, { input: closeInput })
