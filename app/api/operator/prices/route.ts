import { operatorRoute } from '#app/api/console'
import { setPriceInput } from '#lib/contracts/operator'
import { setPrice } from '#lib/services/operator/set-price'

export const POST = operatorRoute(setPrice, { input: setPriceInput, status: 201 })
