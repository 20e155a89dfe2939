import { operatorRoute } from '#app/api/console'
import { operatorIdInput } from '#lib/contracts/operator'
import { testAlertWebhook } from '#lib/services/operator/alert-webhooks'

export const POST = operatorRoute(testAlertWebhook, { input: operatorIdInput })
