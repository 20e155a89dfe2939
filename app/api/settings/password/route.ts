import { consoleRoute } from '#app/api/console'
import { passwordInput } from '#lib/contracts/sign-in'
import { changePassword } from '#lib/services/account/change-password'

export const POST = consoleRoute(changePassword, { input: passwordInput })
