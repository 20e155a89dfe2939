import type { ModelFacts } from '../domain/catalog.ts'
import { refuseField } from '../domain/errors.ts'
import { minBigInt } from '../domain/money.ts'
import type { Rates } from '../domain/price.ts'
import { mediaUsage, type Usage } from '../domain/usage.ts'
import { redactMedia } from './chat/media.ts'
import { countCharacters } from './count-characters.ts'
import type { Bound, PaidEndpoint, PreparePorts } from './endpoint.ts'
import type { JsonObject } from './json.ts'
import { parseWith } from './schema.ts'
import { SPEECH_ANSWERS } from './speech/answer.ts'
import { type SpeechBody, type SpeechFormat, speechSchema } from './speech/schema.ts'
import { SpeechTap } from './speech/tap.ts'
import { estimateSpeechTokens, maxSpeechTokens, type SpokenText, speechUsage } from './speech/usage.ts'
import { maxTokensOf } from './token-bound.ts'

/** The capability of models that can send speech as events, with the tokens that they used. */
const SPEECH_EVENTS = 'speech-events'

interface PreparedSpeech extends SpokenText {
  body: SpeechBody
  format: SpeechFormat
  /** What is billed, if the price is per character or per request; null if it is per token. */
  known: Usage | null
  /** Whether the vendor is asked for events, because the client wants them or because only they report the usage. */
  asksEvents: boolean
  /** The maximum numbers of tokens. */
  input: bigint
  output: bigint
}

function checkSpeech({ voice, response_format }: SpeechBody, characters: number, facts: ModelFacts): void {
  if (facts.characters !== undefined && characters > facts.characters)
    throw refuseField(
      'input',
      `This model speaks at most ${facts.characters} characters per request; you sent ${characters}. Send less.`,
    )
  if (facts.voices && !facts.voices.includes(voice))
    throw refuseField('voice', `This model has no such voice. Use one of these: ${facts.voices.join(', ')}.`)
  if (facts.formats && response_format != null && !facts.formats.includes(response_format))
    throw refuseField(
      'response_format',
      `This model does not answer in that format. Ask for one of these: ${facts.formats.join(', ')}.`,
    )
}

/** The default is MP3 if the model supports it, as at OpenAI. */
const formatOf = ({ response_format }: SpeechBody, { formats }: ModelFacts): SpeechFormat =>
  response_format ?? (formats === undefined || formats.includes('mp3') ? 'mp3' : ((formats[0] ?? 'mp3') as SpeechFormat))

function knownUsage(rates: Rates, characters: number): Usage | null {
  if (rates.character !== undefined) return mediaUsage({ character: BigInt(characters) })
  return rates.audio_output === undefined && rates.output === undefined && rates.request !== undefined ? mediaUsage({}) : null
}

async function prepare(body: SpeechBody, { model, price }: PreparePorts): Promise<PreparedSpeech> {
  const characters = countCharacters(body.input)
  checkSpeech(body, characters, model.facts)
  const spoken = { characters, speed: body.speed ?? 1 }
  const known = knownUsage(price.rates, characters)
  return {
    ...spoken,
    body,
    format: formatOf(body, model.facts),
    known,
    asksEvents: model.capabilities.has(SPEECH_EVENTS) && (body.stream_format === 'sse' || known === null),
    input: BigInt(maxTokensOf(textOf(body))),
    output: BigInt(Math.min(maxSpeechTokens(spoken), model.maxOutput)),
  }
}

const textOf = ({ input, instructions }: SpeechBody): string => (instructions == null ? input : `${instructions}\n${input}`)

function ask({ body, format, asksEvents }: PreparedSpeech): { json: JsonObject } {
  const { stream_format: _, ...rest } = body
  return {
    json: { ...rest, response_format: format, ...(asksEvents ? { stream_format: 'sse' } : {}) } as JsonObject,
  }
}

/**
 * POST /v1/audio/speech. OpenAI API 2.3.0. Always a stream: of sound, whose first bytes are sent as soon as they arrive, or of
 * events.
 */
export const speech: PaidEndpoint<SpeechBody, PreparedSpeech> = {
  kind: 'paid',
  name: 'audio.speech',
  method: 'POST',
  docs: {
    summary: 'Create speech',
    description:
      'Turns a text into audio. The response is the audio itself, which starts before all of it is generated, or events that carry it. The default format is MP3.',
    answers: SPEECH_ANSWERS,
  },
  modalities: ['speech'],
  body: { kind: 'json' },
  request: speechSchema,
  parse: (body) => parseWith(speechSchema, body),
  modelOf: (body) => body.model,
  isStreamed: () => true,
  prepare,

  bound({ known, input, output }, _ports, _price, _multiplierBp, _freeNano, overhead): Bound {
    return { cap: 0, choices: 1, usage: known ?? speechUsage(input + BigInt(overhead), output) }
  },

  text: ({ body }) => textOf(body),

  /** Vendors bill a text when they begin to speak it, even if the sound is never delivered. */
  async estimate({ known, body, input, output, ...spoken }, countTokens) {
    if (known) return { usage: known, exact: true }
    const tokens = await countTokens(textOf(body))
    return {
      usage: speechUsage(minBigInt(BigInt(tokens), input), minBigInt(BigInt(estimateSpeechTokens(spoken)), output)),
      exact: false,
    }
  },

  forms: [
    {
      wire: 'openai.speech',
      ask,
      readNonStreaming() {
        throw new Error('speech is always a stream')
      },
      createTap: ({ body, format, known }, { type }) =>
        new SpeechTap({ wants: body.stream_format === 'sse' ? 'events' : 'audio', format, vendorType: type, known }),
    },
  ],
  redact: (body) => redactMedia(body),
  storesBodyVerbatim: true,
}
