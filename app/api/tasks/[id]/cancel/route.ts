import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { cancelTask } from '#lib/services/history/cancel-task'

export const POST = consoleRoute(cancelTask, { input: idInput })
