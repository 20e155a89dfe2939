import { guestRoute } from '#app/api/console'
import { forgotInput } from '#lib/contracts/sign-in'
import { requestReset } from '#lib/services/request-reset'

export const POST = guestRoute(requestReset, { input: forgotInput })
