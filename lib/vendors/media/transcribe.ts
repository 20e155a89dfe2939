import { filesOf, valuesOf } from '../../domain/form.ts'
import type { ForwardCall } from '../vendor.ts'
import { type Made, type NewModels, warnedFields } from './made.ts'
import type { MediaDialect } from './media-dialect.ts'

/** A piece of a transcript. Times in seconds. */
interface Piece {
  text: string
  start: number
  end: number
}

/** Where a sentence ends, and how long a segment is at most: as long as two lines of a subtitle stay. */
const SENTENCE_END = /[.!?。！？]["'”’)]?$/
const MOST_SECONDS = 12

/** Words as segments: sentences, or as much of them as fits into a subtitle. Vendors who tell of sentences keep theirs. */
export function segmentsOf(words: readonly Piece[]): Piece[] {
  const segments: Piece[] = []
  let current: Piece | null = null
  for (const { text, start, end } of words) {
    const word = text.trim()
    if (word === '') continue
    if (current && end - current.start > MOST_SECONDS) {
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

/** OpenAI's segments have more fields, which say how sure it was: nobody says so here. */
const written = ({ text, start, end }: Piece, id: number): object => ({
  id,
  seek: 0,
  start,
  end,
  text,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
})

/** What is carried, or is the gateway's own business. */
const USED = ['model', 'file', 'language', 'response_format', 'timestamp_granularities', 'stream']

/** Writes down what is said. */
export async function transcribe(models: NewModels, call: ForwardCall, dialect: MediaDialect): Promise<Made> {
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
  const asked = valuesOf(form, 'timestamp_granularities')
  const answer =
    value('response_format') === 'verbose_json'
      ? {
          task: 'transcribe',
          language: language ?? value('language') ?? 'unknown',
          duration: durationInSeconds ?? pieces.at(-1)?.end ?? 0,
          text,
          ...(asked.length === 0 || asked.includes('segment') ? { segments: segmentsOf(pieces).map(written) } : {}),
          ...(asked.includes('word') ? { words: words.map(({ text: word, start, end }) => ({ word, start, end })) } : {}),
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
