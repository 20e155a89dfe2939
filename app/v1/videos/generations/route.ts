import { serve } from '#lib/runtime'
import { createVideo } from '#lib/wire/videos'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(createVideo)
