import { consoleRoute } from '#app/api/console'
import { emailInput } from '#lib/contracts/sign-in'
import { cancelEmailChange } from '#lib/services/account/cancel-email-change'
import { changeEmail } from '#lib/services/account/change-email'

export const POST = consoleRoute(changeEmail, { input: emailInput })
export const DELETE = consoleRoute(cancelEmailChange)
