import { guestRoute } from '#app/api/console'
import { verifyInput } from '#lib/contracts/sign-in'
import { confirmEmail } from '#lib/services/sign-in/confirm-email'

export const POST = guestRoute(confirmEmail, { input: verifyInput })
