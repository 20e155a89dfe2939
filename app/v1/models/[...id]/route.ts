import { serve } from '#lib/runtime'
import { retrieveModel } from '#lib/wire/models'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(retrieveModel)
