import { consoleRoute } from '#app/api/console'
import { removeCard } from '#lib/services/billing/remove-card'
import { startCard } from '#lib/services/billing/start-card'

export const POST = consoleRoute(startCard, { status: 201 })
export const DELETE = consoleRoute(removeCard)
