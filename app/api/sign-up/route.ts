import { guestRoute } from '#app/api/console'
import { signUpInput } from '#lib/contracts/session'
import { signUp } from '#lib/services/sign-in/sign-up'

export const POST = guestRoute(signUp, { input: signUpInput, status: 201 })
