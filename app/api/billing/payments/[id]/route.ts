import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { getPayment } from '#lib/services/get-payment'

export const GET = consoleRoute(getPayment, { input: idInput })
