import { operatorRoute } from '#app/api/console'
import { trafficQuery } from '#lib/contracts/traffic'
import { getTraffic } from '#lib/services/operator/get-traffic'

export const GET = operatorRoute(getTraffic, { input: trafficQuery, slow: true })
