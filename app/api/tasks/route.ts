import { consoleRoute } from '#app/api/console'
import { listRunningTasks } from '#lib/services/history/list-running-tasks'

export const GET = consoleRoute(listRunningTasks)
