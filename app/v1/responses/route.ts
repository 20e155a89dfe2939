import { serve } from '#lib/runtime'
import { createResponse } from '#lib/wire/responses'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(createResponse)
