import { serve } from '#lib/runtime'
import { speech } from '#lib/wire/speech'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(speech)
