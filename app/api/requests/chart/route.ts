import { consoleRoute } from '#app/api/console'
import { requestFilters } from '#lib/contracts/history'
import { chartRequests } from '#lib/services/chart-requests'

export const GET = consoleRoute(chartRequests, { input: requestFilters, slow: true })
