import { operatorRoute } from '#app/api/console'
import { operatorIdInput } from '#lib/contracts/operator'
import { testConnection } from '#lib/services/operator/test-connection'

export const POST = operatorRoute(testConnection, { input: operatorIdInput })
