import { consoleRoute } from '#app/api/console'
import { sendVerification } from '#lib/services/send-verification'

export const POST = consoleRoute(sendVerification)
