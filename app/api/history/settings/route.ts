import { consoleRoute } from '#app/api/console'
import { historySettings } from '#lib/contracts/history'
import { getHistorySettings } from '#lib/services/history/get-history-settings'
import { setHistorySettings } from '#lib/services/history/set-history-settings'

export const GET = consoleRoute(getHistorySettings)
export const POST = consoleRoute(setHistorySettings, { input: historySettings })
