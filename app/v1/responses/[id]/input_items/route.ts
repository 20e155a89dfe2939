import { serve } from '#lib/runtime'
import { listInputItems } from '#lib/wire/responses-lookup'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listInputItems)
