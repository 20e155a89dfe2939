import { serve } from '#lib/runtime'
import { imageEdits } from '#lib/wire/image-edit'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(imageEdits)
