import { filesOf, valuesOf } from '../../domain/form.ts'
import type { Forward, ForwardCall, WireAnswer } from '../vendor.ts'
import { refusalOf, refuseField, unknownModel } from './failures.ts'
import type { SandboxOptions } from './options.ts'
import { checkAborted, pause, sleep as realSleep } from './pause.ts'
import { countTokens } from './tokens.ts'
import { type Transcript, transcribe } from './transcribe.ts'

const TRANSCRIBE = 'sandbox/transcribe'
const BEGIN_MS = 60
const DELTA_MS = 12
/** The most deltas of a stream, however long the recording is. */
const MAX_DELTAS = 400
const AUDIO_TOKENS_PER_SECOND = 10

/** What is made from a recording: its text as it was said, or in English. */
type Task = 'transcribe' | 'translate'

const event = (value: object): Buffer => Buffer.from(`data: ${JSON.stringify(value)}\n\n`)

function usageOf(transcript: Transcript, seconds: number, prompt: string): object {
  const [text_tokens, audio_tokens] = [countTokens(prompt), Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND)]
  const output_tokens = countTokens(transcript.text)
  const input_tokens = text_tokens + audio_tokens
  const input_token_details = { text_tokens, audio_tokens }
  return { type: 'tokens', input_tokens, input_token_details, output_tokens, total_tokens: input_tokens + output_tokens }
}

/** The non-streaming answer, with times if they are asked for. OpenAI's segments have more fields, which state the confidence. */
function nonStreamingAnswer(
  task: Task,
  transcript: Transcript,
  seconds: number,
  times: ReadonlySet<string> | null,
  language: string,
): object {
  if (times === null) return { text: transcript.text, usage: { type: 'duration', seconds: Math.ceil(seconds) } }
  const segments = transcript.segments.map((segment, id) => ({ id, ...segment }))
  return {
    task,
    language,
    duration: seconds,
    text: transcript.text,
    ...(times.has('word') ? { words: transcript.words } : {}),
    ...(times.has('segment') ? { segments } : {}),
    usage: { type: 'duration', seconds: Math.ceil(seconds) },
  }
}

/**
 * Answers transcriptions and translations. The sandbox cannot hear, so the text is made up, but its times fit the real length of
 * the file. Rejects, and its streams throw, with VendorFailure('cut') when the call is aborted.
 */
export function answerTranscriptions(task: Task, options: SandboxOptions): Forward {
  const { sleep = realSleep, pace = 1, audioSeconds } = options

  async function* streamOf(transcript: Transcript, usage: object, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const words = transcript.words.map(({ word }, at) => (at === 0 ? word : ` ${word}`))
    const each = Math.ceil(words.length / MAX_DELTAS)
    for (let at = 0; at < words.length; at += each) {
      await pause(sleep, DELTA_MS * pace, signal)
      yield event({ type: 'transcript.text.delta', delta: words.slice(at, at + each).join('') })
    }
    yield event({ type: 'transcript.text.done', text: transcript.text, usage })
  }

  async function* nonStreamingBody(answer: object, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    await pause(sleep, BEGIN_MS * pace, signal)
    yield Buffer.from(JSON.stringify(answer))
  }

  return async function transcription({ deployment, form, signal }: ForwardCall): Promise<WireAnswer> {
    checkAborted(signal)
    const model = deployment.upstreamModel
    if (model !== TRANSCRIBE) return refusalOf(model) ?? unknownModel(model)
    const [file] = form ? filesOf(form, 'file') : []
    const seconds = file && audioSeconds ? await audioSeconds(file) : null
    if (!form || !file || seconds === null) return refuseField('file', 'The sandbox finds no sound in this file.')
    const value = (name: string): string => valuesOf(form, name)[0] ?? ''
    const transcript = transcribe({ task, seconds, name: file.filename, seed: file.sha256 })
    const answer = (type: string, body: AsyncIterable<Uint8Array>): WireAnswer => ({
      k: 'wire',
      status: 200,
      headers: { 'content-type': type },
      body,
    })
    if (value('stream') === 'true')
      return answer('text/event-stream', streamOf(transcript, usageOf(transcript, seconds, value('prompt')), signal))
    const named = valuesOf(form, 'timestamp_granularities')
    const times = value('response_format') === 'verbose_json' ? new Set(named.length === 0 ? ['segment'] : named) : null
    const language = task === 'translate' ? 'english' : value('language') || 'english'
    return answer('application/json', nonStreamingBody(nonStreamingAnswer(task, transcript, seconds, times, language), signal))
  }
}
