import { consoleRoute } from '#app/api/console'
import { usageQuery } from '#lib/contracts/usage'
import { getUsage } from '#lib/services/usage/get-usage'

export const GET = consoleRoute(getUsage, { input: usageQuery, slow: true })
