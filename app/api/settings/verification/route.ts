import { consoleRoute } from '#app/api/console'
import { sendVerification } from '#lib/services/sign-in/send-verification'

export const POST = consoleRoute(sendVerification)
