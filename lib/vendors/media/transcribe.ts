import { filesOf, valuesOf } from '../../domain/form.ts'
import type { ForwardCall } from '../vendor.ts'
import type { MediaDialect } from './media-dialect.ts'
import { type CreateModels, type MediaResult, warnedFields } from './media-result.ts'

/** A piece of a transcript. Times are in seconds. */
interface TimedText {
  text: string
  start: number
  end: number
}

/** The end of a sentence, and the maximum length of a segment: as long as two lines of a subtitle are shown. */
const SENTENCE_END = /[.!?。！？]["'”’)]?$/
const MAX_SEGMENT_SECONDS = 12

/** Groups words into segments: sentences, or as much of one as fits into a subtitle. Sentences from a vendor stay as they are. */
export function segmentsOf(words: readonly TimedText[]): TimedText[] {
  const segments: TimedText[] = []
  let current: TimedText | null = null
  for (const { text, start, end } of words) {
    const word = text.trim()
    if (word === '') continue
    if (current && end - current.start > MAX_SEGMENT_SECONDS) {
      segments.push(current)
      current = null
    }
    current = current ? { text: `${current.text} ${word}`, start: current.start, end } : { text: word, start, end }
    if (!SENTENCE_END.test(word)) continue
    segments.push(current)
    current = null
  }
  return current ? [...segments, current] : segments
}

/** The fields that are passed on, or that the gateway handles itself. */
const USED = ['model', 'file', 'language', 'response_format', 'timestamp_granularities', 'stream']

/** Transcribes a recording. */
export async function transcribe(models: CreateModels, call: ForwardCall, dialect: MediaDialect): Promise<MediaResult> {
  const model = models().transcription?.(call.deployment.upstreamModel)
  const form = call.form ?? { parts: [] }
  const [file] = filesOf(form, 'file')
  if (!model || !file) throw new Error('there is no model to write it down, or no file')
  const value = (name: string): string | null => valuesOf(form, name)[0] || null
  const chunks: Uint8Array[] = []
  for await (const chunk of file.read()) chunks.push(chunk)
  const { text, segments, language, durationInSeconds, warnings } = await model.doGenerate({
    audio: Buffer.concat(chunks),
    mediaType: file.type,
    providerOptions: dialect.transcription?.({ language: value('language') }) ?? {},
    abortSignal: call.signal,
  })
  const pieces = segments.map(({ text: piece, startSecond: start, endSecond: end }) => ({ text: piece, start, end }))
  const words = pieces.filter((piece) => piece.text.trim() !== '')
  const granularities = valuesOf(form, 'timestamp_granularities')
  const answer =
    value('response_format') === 'verbose_json'
      ? {
          task: 'transcribe',
          language,
          duration: durationInSeconds,
          text,
          ...(granularities.length === 0 || granularities.includes('segment') ? { segments: segmentsOf(pieces) } : {}),
          ...(granularities.includes('word') ? { words: words.map(({ text: word, start, end }) => ({ word, start, end })) } : {}),
        }
      : { text }
  const names = form.parts.map(({ name }) => name.replace(/\[\]$/, ''))
  const unused = names.filter((name) => !USED.includes(name) && value(name) !== null)
  return {
    type: 'application/json',
    body: Buffer.from(JSON.stringify(answer)),
    ignored: [...new Set([...unused, ...warnedFields(warnings, {})])],
  }
}
