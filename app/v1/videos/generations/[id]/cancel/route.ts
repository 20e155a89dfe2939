import { serve } from '#lib/runtime'
import { cancelVideo } from '#lib/wire/videos'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(cancelVideo)
