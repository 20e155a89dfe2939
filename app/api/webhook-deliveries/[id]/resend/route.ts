import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { resendDelivery } from '#lib/services/webhooks/resend-delivery'

export const POST = consoleRoute(resendDelivery, { input: idInput })
