import { consoleRoute } from '#app/api/console'
import { emailInput } from '#lib/contracts/sign-in'
import { changeEmail } from '#lib/services/account/change-email'

export const POST = consoleRoute(changeEmail, { input: emailInput })
