import type { Cue } from '../../domain/subtitles.ts'
import { createUnreadableError } from '../answer.ts'
import { type JsonObject, type JsonValue, objectsIn, textIn } from '../json.ts'

/** Reads a vendor's whole transcription. Throws StreamBrokenError if it is not one. */
export function readTranscript(bytes: Buffer): JsonObject & { text: string } {
  let answer: unknown
  try {
    answer = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw createUnreadableError('the answer is not JSON')
  }
  if (typeof answer !== 'object' || answer === null || typeof (answer as JsonObject).text !== 'string')
    throw createUnreadableError('the answer has no text')
  // The vendor's name for its model is not passed on.
  const { model: _, duration, ...own } = answer as JsonObject & { text: string }
  // Some servers write it as a text.
  const seconds = typeof duration === 'string' ? Number.parseFloat(duration) : duration
  const isKnown = typeof seconds === 'number' && Number.isFinite(seconds)
  return { ...own, ...(isKnown ? { duration: seconds } : {}) } as JsonObject & { text: string }
}

/** What a segment says if its vendor does not know it. */
const SEGMENT_DEFAULTS: JsonObject = {
  seek: 0,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
}

/**
 * A transcription in which everything is present that OpenAI's always has, because clients with typed answers cannot read one
 * without: servers other than Whisper's own leave out what they do not know.
 */
export function toVerbose(answer: JsonObject, language: string, seconds: number): JsonObject {
  const { segments } = answer
  return {
    ...answer,
    language: textIn(answer.language) || language,
    duration: answer.duration ?? seconds,
    ...(Array.isArray(segments) ? { segments: objectsIn(segments).map(toVerboseSegment) } : {}),
  }
}

const toVerboseSegment = (segment: JsonObject, id: number): JsonObject => ({
  id,
  ...SEGMENT_DEFAULTS,
  ...Object.fromEntries(Object.entries(segment).filter(([, value]) => value !== null)),
})

/** The cues of a transcription. If the vendor sent no segments, one cue has all of the text. */
export function cuesOf(answer: JsonObject & { text: string }, seconds: number): Cue[] {
  const segments = Array.isArray(answer.segments) ? answer.segments.flatMap(cueOf) : []
  return segments.length > 0 ? segments : [{ start: 0, end: seconds, text: answer.text }]
}

function cueOf(value: JsonValue): Cue[] {
  const { start, end, text } = (value ?? {}) as JsonObject
  return typeof start === 'number' && typeof end === 'number' && typeof text === 'string' ? [{ start, end, text }] : []
}

/** The length of the sound in seconds, as the vendor reports it; null if it does not. */
export function reportedSeconds({ duration, usage }: JsonObject): number | null {
  const reported = (usage as JsonObject | null | undefined)?.seconds ?? duration
  return typeof reported === 'number' && Number.isFinite(reported) ? reported : null
}
