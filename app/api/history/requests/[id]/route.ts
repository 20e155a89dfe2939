import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { deleteHistory } from '#lib/services/history/delete-history'

export const DELETE = consoleRoute(deleteHistory, { input: idInput })
