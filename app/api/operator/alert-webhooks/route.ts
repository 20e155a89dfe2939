import { operatorRoute } from '#app/api/console'
import { addAlertWebhookInput } from '#lib/contracts/operator-alerts'
import { addAlertWebhook } from '#lib/services/operator/alert-webhooks'

export const POST = operatorRoute(addAlertWebhook, { input: addAlertWebhookInput, status: 201 })
