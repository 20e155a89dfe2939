import { consoleRoute } from '#app/api/console'
import { clearInput } from '#lib/contracts/history'
import { clearHistory } from '#lib/services/history/clear-history'

export const POST = consoleRoute(clearHistory, { input: clearInput })
