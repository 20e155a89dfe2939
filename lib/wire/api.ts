import { chatCompletions } from './chat.ts'
import { completions } from './completions.ts'
import { embeddings } from './embeddings.ts'
import type { Endpoint } from './endpoint.ts'
import { imageGenerations } from './image.ts'
import { imageEdits } from './image-edit.ts'
import { listModels, retrieveModel } from './models.ts'
import { createResponse } from './responses.ts'
import { deleteResponse, listInputItems, retrieveResponse } from './responses-lookup.ts'
import { speech } from './speech.ts'
import { transcriptions } from './transcription.ts'
import { translations } from './translation.ts'
import { cancelVideo, createVideo, retrieveVideo } from './videos.ts'

/** An endpoint and its path. */
export interface ApiEntry {
  /** In OpenAPI's form: `/v1/models/{id}`. */
  path: string
  endpoint: Endpoint
}

/** The whole API. A test compares it with the routes in `app/v1`. */
export const API: readonly ApiEntry[] = [
  { path: '/v1/chat/completions', endpoint: chatCompletions },
  { path: '/v1/audio/speech', endpoint: speech },
  { path: '/v1/images/generations', endpoint: imageGenerations },
  { path: '/v1/images/edits', endpoint: imageEdits },
  { path: '/v1/audio/transcriptions', endpoint: transcriptions },
  { path: '/v1/audio/translations', endpoint: translations },
  { path: '/v1/responses', endpoint: createResponse },
  { path: '/v1/responses/{id}', endpoint: retrieveResponse },
  { path: '/v1/responses/{id}', endpoint: deleteResponse },
  { path: '/v1/responses/{id}/input_items', endpoint: listInputItems },
  { path: '/v1/completions', endpoint: completions },
  { path: '/v1/embeddings', endpoint: embeddings },
  { path: '/v1/models', endpoint: listModels },
  { path: '/v1/models/{id}', endpoint: retrieveModel },
  { path: '/v1/videos/generations', endpoint: createVideo },
  { path: '/v1/videos/generations/{id}', endpoint: retrieveVideo },
  { path: '/v1/videos/generations/{id}/cancel', endpoint: cancelVideo },
]
