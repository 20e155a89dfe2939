import type { Forward, ForwardCall, WireAnswer } from '../vendor.ts'
import { SPEECH_FORMATS } from './encode-speech.ts'
import { refusalOf, refuseField, unknownModel } from './failures.ts'
import type { SandboxOptions } from './options.ts'
import { checkAborted, pause, sleep as realSleep } from './pause.ts'
import { type Speech, synthesizeSpeech } from './synthesize-speech.ts'
import { countTokens } from './tokens.ts'

const SPEECH = 'sandbox/speech'
const PIECE_BYTES = 16 * 1024
const BEGIN_MS = 120
const TOKENS_PER_SECOND = 21

interface SpeechRequest {
  input: string
  voice: string
  speed: number
  format: string
  events: boolean
}

const readSpeechRequest = ({ input, voice, speed, response_format, stream_format }: ForwardCall['body']): SpeechRequest => ({
  input: String(input ?? ''),
  voice: String(voice ?? 'alloy'),
  speed: typeof speed === 'number' ? speed : 1,
  format: typeof response_format === 'string' ? response_format : 'mp3',
  events: stream_format === 'sse',
})

async function* piecesOf(sound: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < sound.byteLength; at += PIECE_BYTES) yield sound.subarray(at, at + PIECE_BYTES)
}

const event = (value: object): Buffer => Buffer.from(`data: ${JSON.stringify(value)}\n\n`)

async function* eventsOf(
  { input }: SpeechRequest,
  { samples, sampleRate }: Speech,
  sound: Uint8Array,
): AsyncGenerator<Uint8Array> {
  for await (const piece of piecesOf(sound))
    yield event({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') })
  const input_tokens = countTokens(input)
  const output_tokens = Math.ceil((samples.length / sampleRate) * TOKENS_PER_SECOND)
  yield event({ type: 'speech.audio.done', usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens } })
}

/**
 * Answers speech: tones that last as long as the text takes to say. The same request gets the same sound. Its bodies throw
 * VendorFailure('cut') when the call is aborted.
 */
export function answerSpeech(options: SandboxOptions): Forward {
  const { sleep = realSleep, pace = 1 } = options

  async function* paced(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    await pause(sleep, BEGIN_MS * pace, signal)
    for await (const piece of pieces) {
      checkAborted(signal)
      yield piece
    }
  }

  return async function answer({ deployment, body, signal }: ForwardCall): Promise<WireAnswer> {
    checkAborted(signal)
    const model = deployment.upstreamModel
    if (model !== SPEECH) return refusalOf(model) ?? unknownModel(model)
    const request = readSpeechRequest(body)
    const format = Object.hasOwn(SPEECH_FORMATS, request.format) ? SPEECH_FORMATS[request.format] : undefined
    if (!format) return refuseField('response_format', `The sandbox does not produce ${request.format.slice(0, 32)}.`)
    const speech = await synthesizeSpeech({ text: request.input, voice: request.voice, speed: request.speed })
    const sound = await format.encode(speech)
    const type = request.events ? 'text/event-stream' : format.type
    const pieces = request.events ? eventsOf(request, speech, sound) : piecesOf(sound)
    return { k: 'wire', status: 200, headers: { 'content-type': type }, body: paced(pieces, signal) }
  }
}
