import type { Cue } from '../../domain/subtitles.ts'
import { StreamBroken } from '../answer.ts'
import type { JsonObject, JsonValue } from '../json.ts'

const UNREADABLE = 'The model sent an answer that could not be read.'

/** A vendor's whole transcription. Throws StreamBroken where it is none. */
export function readTranscript(bytes: Buffer): JsonObject & { text: string } {
  let answer: unknown
  try {
    answer = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new StreamBroken(UNREADABLE, 'the answer is not JSON')
  }
  if (typeof answer !== 'object' || answer === null || typeof (answer as JsonObject).text !== 'string')
    throw new StreamBroken(UNREADABLE, 'the answer has no text')
  // What the vendor calls its model is nobody's business.
  const { model: _, ...own } = answer as JsonObject & { text: string }
  // Some servers write it as a text.
  const duration = typeof own.duration === 'string' ? Number.parseFloat(own.duration) : own.duration
  if (typeof duration === 'number' && Number.isFinite(duration)) return { ...own, duration } as JsonObject & { text: string }
  const { duration: none, ...rest } = own
  return rest as JsonObject & { text: string }
}

/** When what was said. One cue for all of it where the vendor did not cut it into segments. */
export function cuesOf(answer: JsonObject & { text: string }, seconds: number): Cue[] {
  const segments = Array.isArray(answer.segments) ? answer.segments.flatMap(cueOf) : []
  return segments.length > 0 ? segments : [{ start: 0, end: seconds, text: answer.text }]
}

function cueOf(value: JsonValue): Cue[] {
  const { start, end, text } = (value ?? {}) as JsonObject
  return typeof start === 'number' && typeof end === 'number' && typeof text === 'string' ? [{ start, end, text }] : []
}

/** How long the vendor says that the sound is, in seconds; null where it does not. */
export function toldSeconds({ duration, usage }: JsonObject): number | null {
  const told = (usage as JsonObject | null | undefined)?.seconds ?? duration
  return typeof told === 'number' && Number.isFinite(told) ? told : null
}
