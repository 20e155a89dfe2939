import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { updateWebhookInput } from '#lib/contracts/webhooks'
import { removeWebhook } from '#lib/services/remove-webhook'
import { updateWebhook } from '#lib/services/update-webhook'

export const PATCH = consoleRoute(updateWebhook, { input: updateWebhookInput })
export const DELETE = consoleRoute(removeWebhook, { input: idInput })
