import { consoleRoute } from '#app/api/console'
import { requestQuery } from '#lib/contracts/requests'
import { listRequests } from '#lib/services/history/list-requests'

export const GET = consoleRoute(listRequests, { input: requestQuery, slow: true })
