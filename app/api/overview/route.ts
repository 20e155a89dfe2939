import { consoleRoute } from '#app/api/console'
import { overviewInput } from '#lib/console/inputs'
import { getOverview } from '#lib/services/usage/get-overview'

export const GET = consoleRoute(getOverview, { input: overviewInput, slow: true })
