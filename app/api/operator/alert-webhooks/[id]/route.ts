import { operatorRoute } from '#app/api/console'
import { operatorIdInput } from '#lib/contracts/operator'
import { removeAlertWebhook } from '#lib/services/operator/alert-webhooks'

export const DELETE = operatorRoute(removeAlertWebhook, { input: operatorIdInput })
