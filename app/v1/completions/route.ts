import { serve } from '#lib/runtime'
import { completions } from '#lib/wire/completions'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(completions)
