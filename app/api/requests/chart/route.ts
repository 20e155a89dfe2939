import { consoleRoute } from '#app/api/console'
import { requestFilters } from '#lib/contracts/history'
import { chartRequests } from '#lib/services/history/chart-requests'

export const GET = consoleRoute(chartRequests, { input: requestFilters, slow: true })
