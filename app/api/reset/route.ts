import { guestRoute } from '#app/api/console'
import { resetInput } from '#lib/contracts/sign-in'
import { resetPassword } from '#lib/services/sign-in/reset-password'

export const POST = guestRoute(resetPassword, { input: resetInput })
