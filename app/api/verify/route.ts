import { guestRoute } from '#app/api/console'
import { verifyInput } from '#lib/contracts/sign-in'
import { confirmAddress } from '#lib/services/sign-in/confirm-address'

export const POST = guestRoute(confirmAddress, { input: verifyInput })
