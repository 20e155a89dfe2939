import { nothing } from '#lib/runtime'

// Else it would be read as the id of a response, which takes no POST.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nothing()
