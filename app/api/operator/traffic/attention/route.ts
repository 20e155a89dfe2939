import { operatorRoute } from '#app/api/console'
import { getAttention } from '#lib/services/operator/get-attention'

export const GET = operatorRoute(getAttention)
