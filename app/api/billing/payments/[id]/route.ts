import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { getPayment } from '#lib/services/billing/get-payment'

export const GET = consoleRoute(getPayment, { input: idInput })
