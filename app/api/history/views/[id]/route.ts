import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { deleteView } from '#lib/services/history/delete-view'

export const DELETE = consoleRoute(deleteView, { input: idInput })
