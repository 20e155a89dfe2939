import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { rotateWebhook } from '#lib/services/webhooks/rotate-webhook'

export const POST = consoleRoute(rotateWebhook, { input: idInput })
