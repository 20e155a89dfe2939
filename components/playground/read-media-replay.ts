import { asRecord, asText, type Json, type JsonRecord } from '../history/json.ts'
import { NO_CHAT } from './chat-draft.ts'
import { NO_IMAGES, NO_SPEECH, NO_TRANSCRIPT, NO_VIDEO } from './media-drafts.ts'
import { readReplay } from './read-replay.ts'
import type { Mode } from './select-model.ts'

/** A draft for one of the modes, made from a request in the history. */
export interface ReplayedDraft {
  mode: Mode
  /** The name under which the mode stores it. */
  name: string
  draft: object
}

const asFieldText = (value: Json | undefined): string => (typeof value === 'number' ? String(value) : (asText(value) ?? ''))

const notes = (value: Json | undefined): string[] => [value].flat().flatMap((each) => asText(each) ?? [])

/** A count, given as a number or as the text of a form field. */
const countOf = (value: Json | undefined): number => Math.max(1, Math.trunc(Number(asFieldText(value)) || 1))

const readImages = (request: JsonRecord): ReplayedDraft => ({
  mode: 'images',
  name: 'images',
  draft: {
    ...NO_IMAGES,
    prompt: asFieldText(request.prompt),
    size: asFieldText(request.size),
    quality: asFieldText(request.quality),
    count: countOf(request.n),
    missing: [...notes(request.image), ...notes(request.mask)],
  },
})

/** By endpoint: the text field that a request cannot be repeated without (null if none), and how the request is read. */
const READERS: Record<string, { requiredField: string | null; read: (request: JsonRecord) => ReplayedDraft }> = {
  'images.generations': { requiredField: 'prompt', read: readImages },
  'images.edits': { requiredField: 'prompt', read: readImages },
  'audio.speech': {
    requiredField: 'input',
    read: (request) => ({
      mode: 'speech',
      name: 'speech',
      draft: {
        ...NO_SPEECH,
        text: asFieldText(request.input),
        voice: asFieldText(request.voice),
        format: asFieldText(request.response_format),
        speed: asFieldText(request.speed),
        instructions: asFieldText(request.instructions),
      },
    }),
  },
  'audio.transcriptions': {
    requiredField: null,
    read: (request) => ({
      mode: 'transcribe',
      name: 'transcribe',
      draft: {
        ...NO_TRANSCRIPT,
        language: asFieldText(request.language),
        prompt: asFieldText(request.prompt),
        missing: notes(request.file),
      },
    }),
  },
  'videos.generations': {
    requiredField: 'prompt',
    read: (request) => ({
      mode: 'video',
      name: 'video',
      draft: {
        ...NO_VIDEO,
        prompt: asFieldText(request.prompt),
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
  const request = asRecord(body)
  const reader = READERS[endpoint]
  if (request === null || reader === undefined) return null
  return reader.requiredField !== null && asFieldText(request[reader.requiredField]) === '' ? null : reader.read(request)
}
