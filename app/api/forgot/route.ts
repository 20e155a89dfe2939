import { guestRoute } from '#app/api/console'
import { forgotInput } from '#lib/contracts/sign-in'
import { requestReset } from '#lib/services/sign-in/request-reset'

export const POST = guestRoute(requestReset, { input: forgotInput })
