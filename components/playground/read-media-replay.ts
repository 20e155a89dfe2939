import { type Json, type JsonRecord, record, text } from '../history/json.ts'
import { NO_CHAT } from './chat-draft.ts'
import type { Mode } from './choose.ts'
import { NO_IMAGES, NO_SPEECH, NO_TRANSCRIPT, NO_VIDEO } from './media-drafts.ts'
import { readReplay } from './read-replay.ts'

/** A draft for one of the modes, made of a request out of the history. */
export interface ReplayedDraft {
  mode: Mode
  /** Under which name the mode keeps it. */
  name: string
  draft: object
}

const shown = (value: Json | undefined): string => (typeof value === 'number' ? String(value) : (text(value) ?? ''))

const READERS: Record<string, (request: JsonRecord) => ReplayedDraft> = {
  'images.generations': (request) => ({
    mode: 'images',
    name: 'images',
    draft: {
      ...NO_IMAGES,
      prompt: shown(request.prompt),
      size: shown(request.size),
      quality: shown(request.quality),
      count: typeof request.n === 'number' ? request.n : 1,
    },
  }),
  'audio.speech': (request) => ({
    mode: 'speech',
    name: 'speech',
    draft: {
      ...NO_SPEECH,
      text: shown(request.input),
      voice: shown(request.voice),
      format: shown(request.response_format),
      speed: shown(request.speed),
      instructions: shown(request.instructions),
    },
  }),
  'audio.transcriptions': (request) => ({
    mode: 'transcribe',
    name: 'transcribe',
    draft: { ...NO_TRANSCRIPT, language: shown(request.language), prompt: shown(request.prompt) },
  }),
  'videos.generations': (request) => ({
    mode: 'video',
    name: 'video',
    draft: { ...NO_VIDEO, prompt: shown(request.prompt), duration: typeof request.duration === 'number' ? request.duration : 0 },
  }),
}
READERS['images.edits'] = READERS['images.generations'] as (request: JsonRecord) => ReplayedDraft

/** The draft with which a stored request is made again; null where no mode can. */
export function readDraft(endpoint: string, body: Json): ReplayedDraft | null {
  if (endpoint === 'chat.completions') {
    const replay = readReplay(body)
    if (replay === null) return null
    const { system, exchanges, params, missing } = replay
    return { mode: 'chat', name: 'chat', draft: { ...NO_CHAT, system, exchanges, params, missing } }
  }
  const request = record(body)
  return request === null ? null : (READERS[endpoint]?.(request) ?? null)
}
