import { notFoundHandlers } from '#lib/runtime'

// Without this route, the path would be read as a response id, which does not accept POST.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundHandlers()
