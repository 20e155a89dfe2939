import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { removeAlert } from '#lib/services/alerts/remove-alert'

export const DELETE = consoleRoute(removeAlert, { input: idInput })
