import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { testWebhook } from '#lib/services/webhooks/test-webhook'

export const POST = consoleRoute(testWebhook, { input: idInput })
