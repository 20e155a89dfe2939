import { operatorRoute } from '#app/api/console'
import { alertEventQuery } from '#lib/contracts/operator-alerts'
import { listAlertEvents } from '#lib/services/operator/list-alert-rules'

export const GET = operatorRoute(listAlertEvents, { input: alertEventQuery })
