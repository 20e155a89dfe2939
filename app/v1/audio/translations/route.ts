import { serve } from '#lib/runtime'
import { translations } from '#lib/wire/translation'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(translations)
