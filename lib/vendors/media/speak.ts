import type { Fields, ForwardCall, RefusedParameter } from '../vendor.ts'
import type { MediaDialect } from './media-dialect.ts'
import { type CreateModels, type MediaResult, unusedFields, warnedFields } from './media-result.ts'

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/** Some vendors have the voice in the URL, so it may not contain anything that leads elsewhere. */
const VOICE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/** The field of a speech request that a vendor cannot be given; null if there is none. */
export function findRefusedSpeechField(
  { voice, response_format: format }: Fields,
  { speech }: MediaDialect,
): RefusedParameter | null {
  if (typeof voice !== 'string' || !VOICE.test(voice))
    return { param: 'voice', message: "Use the id of the voice at the model's vendor: letters, digits, - and _." }
  if (typeof format === 'string' && speech && !Object.hasOwn(speech.formats, format))
    return {
      param: 'response_format',
      message: `This model does not answer in that format. Ask for one of these: ${Object.keys(speech.formats).join(', ')}.`,
    }
  return null
}

/** Makes speech from a text. */
export async function speak(
  models: CreateModels,
  { body, deployment, signal }: ForwardCall,
  { speech }: MediaDialect,
): Promise<MediaResult> {
  const model = models().speech?.(deployment.upstreamModel)
  if (!model) throw new Error('the package has no speech models')
  const format = typeof body.response_format === 'string' ? body.response_format : 'mp3'
  const { speed, instructions } = body
  const used = ['model', 'input', 'voice', 'response_format', 'stream_format', 'stream']
  if (speech?.speeds) used.push('speed')
  if (speech?.instructions) used.push('instructions')
  const { audio, warnings } = await model.doGenerate({
    text: String(body.input ?? ''),
    voice: String(body.voice),
    outputFormat: speech?.formats[format] ?? format,
    ...(speech?.speeds && typeof speed === 'number' ? { speed } : {}),
    ...(speech?.instructions && typeof instructions === 'string' ? { instructions } : {}),
    abortSignal: signal,
  })
  return {
    type: TYPES[format] ?? 'application/octet-stream',
    body: typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio,
    ignored: [...new Set([...unusedFields(body, used), ...warnedFields(warnings, {})])],
  }
}
