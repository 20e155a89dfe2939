import { serve } from '#lib/runtime'
import { imageGenerations } from '#lib/wire/image'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(imageGenerations)
