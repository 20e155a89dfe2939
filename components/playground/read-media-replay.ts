import { type Json, type JsonRecord, record, text } from '../history/json.ts'
import { NO_CHAT } from './chat-draft.ts'
import type { Mode } from './choose.ts'
import { NO_IMAGES, NO_SPEECH, NO_TRANSCRIPT, NO_VIDEO } from './media-drafts.ts'
import { readReplay } from './read-replay.ts'

/** A draft for one of the modes, made from a request in the history. */
export interface ReplayedDraft {
  mode: Mode
  /** The name under which the mode stores it. */
  name: string
  draft: object
}

const shown = (value: Json | undefined): string => (typeof value === 'number' ? String(value) : (text(value) ?? ''))

const notes = (value: Json | undefined): string[] => [value].flat().flatMap((each) => text(each) ?? [])

/** A count, given as a number or as the text of a form field. */
const countOf = (value: Json | undefined): number => Math.max(1, Math.trunc(Number(shown(value)) || 1))

const readImages = (request: JsonRecord): ReplayedDraft => ({
  mode: 'images',
  name: 'images',
  draft: {
    ...NO_IMAGES,
    prompt: shown(request.prompt),
    size: shown(request.size),
    quality: shown(request.quality),
    count: countOf(request.n),
    missing: [...notes(request.image), ...notes(request.mask)],
  },
})

/** By endpoint: the text field that a request cannot be repeated without (null if none), and how the request is read. */
const READERS: Record<string, { needs: string | null; read: (request: JsonRecord) => ReplayedDraft }> = {
  'images.generations': { needs: 'prompt', read: readImages },
  'images.edits': { needs: 'prompt', read: readImages },
  'audio.speech': {
    needs: 'input',
    read: (request) => ({
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
  },
  'audio.transcriptions': {
    needs: null,
    read: (request) => ({
      mode: 'transcribe',
      name: 'transcribe',
      draft: {
        ...NO_TRANSCRIPT,
        language: shown(request.language),
        prompt: shown(request.prompt),
        missing: notes(request.file),
      },
    }),
  },
  'videos.generations': {
    needs: 'prompt',
    read: (request) => ({
      mode: 'video',
      name: 'video',
      draft: {
        ...NO_VIDEO,
        prompt: shown(request.prompt),
        duration: typeof request.duration === 'number' ? request.duration : 0,
      },
    }),
  },
}

/** The draft that repeats a stored request. Null if no mode can. */
export function readDraft(endpoint: string, body: Json): ReplayedDraft | null {
  if (endpoint === 'chat.completions') {
    const replay = readReplay(body)
    if (replay === null) return null
    const { system, exchanges, params, missing } = replay
    return { mode: 'chat', name: 'chat', draft: { ...NO_CHAT, system, exchanges, params, missing } }
  }
  const request = record(body)
  const reader = READERS[endpoint]
  if (request === null || reader === undefined) return null
  return reader.needs !== null && shown(request[reader.needs]) === '' ? null : reader.read(request)
}
