import { operatorRoute } from '#app/api/console'
import { operatorIdInput } from '#lib/contracts/operator'
import { enableAlertWebhook } from '#lib/services/operator/alert-webhooks'

export const POST = operatorRoute(enableAlertWebhook, { input: operatorIdInput })
