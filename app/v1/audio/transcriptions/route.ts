import { serve } from '#lib/runtime'
import { transcriptions } from '#lib/wire/transcription'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(transcriptions)
