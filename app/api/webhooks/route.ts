import { consoleRoute } from '#app/api/console'
import { createWebhookInput } from '#lib/contracts/webhooks'
import { createWebhook } from '#lib/services/webhooks/create-webhook'
import { listWebhooks } from '#lib/services/webhooks/list-webhooks'

export const GET = consoleRoute(listWebhooks)
export const POST = consoleRoute(createWebhook, { input: createWebhookInput, status: 201 })
