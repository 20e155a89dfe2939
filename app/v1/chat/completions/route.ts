import { serve } from '#lib/runtime'
import { chatCompletions } from '#lib/wire/chat'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serve(chatCompletions)
