import { operatorRoute } from '#app/api/console'
import { operatorIdInput } from '#lib/contracts/operator'
import { getOperatorModel } from '#lib/services/operator/get-operator-model'

export const GET = operatorRoute(getOperatorModel, { input: operatorIdInput })
