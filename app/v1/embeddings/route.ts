import { serve } from '#lib/runtime'
import { embeddings } from '#lib/wire/embeddings'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(embeddings)
