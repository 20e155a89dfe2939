import { nowhereRoute } from '#app/api/console'

export const GET = nowhereRoute
export const POST = nowhereRoute
export const PUT = nowhereRoute
export const PATCH = nowhereRoute
export const DELETE = nowhereRoute
