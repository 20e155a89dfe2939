import { operatorRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { withdrawPrice } from '#lib/services/operator/withdraw-price'

export const DELETE = operatorRoute(withdrawPrice, { input: idInput })
