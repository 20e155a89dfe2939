import { consoleRoute } from '#app/api/console'
import { profileInput } from '#lib/contracts/sign-in'
import { changeName } from '#lib/services/account/change-name'

export const POST = consoleRoute(changeName, { input: profileInput })
