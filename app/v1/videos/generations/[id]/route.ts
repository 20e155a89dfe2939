import { serve } from '#lib/runtime'
import { retrieveVideo } from '#lib/wire/videos'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(retrieveVideo)
