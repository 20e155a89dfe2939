import { serve } from '#lib/runtime'
import { deleteResponse, retrieveResponse } from '#lib/wire/responses-lookup'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(retrieveResponse, deleteResponse)
