import { consoleRoute } from '#app/api/console'
import { idInput } from '#lib/console/inputs'
import { getRequest } from '#lib/services/history/get-request'

export const GET = consoleRoute(getRequest, { input: idInput, slow: true })
