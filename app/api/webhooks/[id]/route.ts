import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { updateWebhookInput } from '#lib/contracts/webhooks'
import { removeWebhook } from '#lib/services/webhooks/remove-webhook'
import { updateWebhook } from '#lib/services/webhooks/update-webhook'

export const PATCH = consoleRoute(updateWebhook, { input: updateWebhookInput })
export const DELETE = consoleRoute(removeWebhook, { input: idInput })
