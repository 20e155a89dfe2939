import { createConsoleRoutes } from '#lib/console/route'
import { runtime } from '#lib/runtime'

/** The console's routes, bound to this process. */
export const { consoleRoute, guestRoute, healthRoute } = createConsoleRoutes(async () => (await runtime()).console)
