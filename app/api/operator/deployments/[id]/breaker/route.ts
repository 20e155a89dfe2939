import { operatorRoute } from '#app/api/console'
import { setBreakerInput } from '#lib/contracts/traffic'
import { setBreaker } from '#lib/services/operator/set-breaker'

export const POST = operatorRoute(setBreaker, { input: setBreakerInput })
