import { consoleRoute } from '#app/api/console'
import { viewInput } from '#lib/contracts/history'
import { listViews } from '#lib/services/history/list-views'
import { saveView } from '#lib/services/history/save-view'

export const GET = consoleRoute(listViews)
export const POST = consoleRoute(saveView, { input: viewInput })
