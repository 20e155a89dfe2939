import { consoleRoute } from '#app/api/console'
import { listGroups } from '#lib/services/keys/list-groups'

export const GET = consoleRoute(listGroups)
