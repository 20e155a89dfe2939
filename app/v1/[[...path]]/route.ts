import { notFoundHandlers } from '#lib/runtime'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundHandlers()
