import { healthRoute } from '#app/api/console'

export const GET = healthRoute
