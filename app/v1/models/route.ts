import { serve } from '#lib/runtime'
import { listModels } from '#lib/wire/models'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listModels)
