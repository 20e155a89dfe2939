import { consoleRoute } from '#app/api/console'
import { alertInput } from '#lib/contracts/auto-top-up'
import { addAlert } from '#lib/services/alerts/add-alert'
import { listAlerts } from '#lib/services/alerts/list-alerts'

export const GET = consoleRoute(listAlerts)
export const POST = consoleRoute(addAlert, { input: alertInput, status: 201 })
