import { openRoute } from '#app/api/console'
import { listModels } from '#lib/services/list-models'

export const GET = openRoute(listModels)
