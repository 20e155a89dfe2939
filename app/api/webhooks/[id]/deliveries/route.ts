import { consoleRoute } from '#app/api/console'
import { deliveryQuery } from '#lib/contracts/webhooks'
import { listDeliveries } from '#lib/services/webhooks/list-deliveries'

export const GET = consoleRoute(listDeliveries, { input: deliveryQuery })
