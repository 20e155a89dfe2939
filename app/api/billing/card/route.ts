import { consoleRoute } from '#app/api/console'
import { removeCard } from '#lib/services/remove-card'
import { startCard } from '#lib/services/start-card'

export const POST = consoleRoute(startCard, { status: 201 })
export const DELETE = consoleRoute(removeCard)
