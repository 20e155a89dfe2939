import type { CatalogModel } from '../../domain/catalog.ts'
import { type Refusal, refuseField } from '../../domain/errors.ts'
import { type Form, type FormPart, stripArraySuffix, type Upload } from '../../domain/form.ts'
import type { Usage } from '../../domain/usage.ts'
import type { PreparePorts } from '../endpoint.ts'
import { TRANSCRIPTION_FORMATS, type TranscriptionFields, type TranscriptionFormat, type TranscriptionInput } from './schema.ts'
import { knownTranscriptionUsage, maxTranscriptionUsage } from './usage.ts'

/** A request whose sound was measured. */
export interface PreparedTranscription {
  input: TranscriptionInput
  seconds: number
  /** The format that the client asked for. */
  format: TranscriptionFormat
  /** The format that the vendor is asked for: JSON, from which all other formats are written here. */
  vendorFormat: 'json' | 'verbose_json' | 'diarized_json'
  /**
   * Whether the vendor is asked for a stream. A model that does not stream is asked for a non-streaming answer, which is then
   * streamed.
   */
  asksStream: boolean
  /** What is billed whatever the vendor reports; null if that is its tokens. */
  known: Usage | null
  maxUsage: Usage
}

/** The vendor's format from which the requested one can be written; null if the model has none. */
function vendorFormatFor(
  format: TranscriptionFormat,
  formats: readonly string[] | undefined,
): PreparedTranscription['vendorFormat'] | null {
  const has = (name: string): boolean => formats === undefined || formats.includes(name)
  if (format === 'diarized_json') return has(format) ? format : null
  if (format === 'json' || format === 'text') return has('json') ? 'json' : 'verbose_json'
  return has('verbose_json') ? 'verbose_json' : null
}

function refuseFormat(format: TranscriptionFormat, { id, facts }: CatalogModel, offered: readonly string[]): Refusal {
  const formats = [...new Set([...(facts.formats ?? []).filter((has) => offered.includes(has)), 'text'])].join(', ')
  const why = format === 'diarized_json' ? 'does not tell speakers apart' : 'does not say when something was said'
  return refuseField('response_format', `The model "${id}" ${why}. Ask for one of these: ${formats}.`)
}

async function measure(file: Upload, ports: PreparePorts): Promise<number> {
  const seconds = await ports.audioSeconds(file)
  if (seconds !== null && seconds > 0) return seconds
  throw refuseField(
    'file',
    'The length of the audio in "file" could not be measured: the file is damaged, contains no audio, or has an unknown format. Send it as WAV, MP3, FLAC, Ogg, MP4 or WebM.',
  )
}

/** Measures the sound and decides what to ask the model for. Throws the 400 for what the model does not support. */
export async function prepareTranscription(
  input: TranscriptionInput,
  ports: PreparePorts,
  offered: readonly TranscriptionFormat[] = TRANSCRIPTION_FORMATS,
): Promise<PreparedTranscription> {
  const { model, price, bodyBytes } = ports
  const format = input.fields.response_format ?? 'json'
  const vendorFormat = vendorFormatFor(format, model.facts.formats)
  if (vendorFormat === null) throw refuseFormat(format, model, offered)
  const seconds = await measure(input.file, ports)
  return {
    input,
    seconds,
    format,
    vendorFormat,
    asksStream: input.fields.stream === true && model.capabilities.has('streaming'),
    known: knownTranscriptionUsage(price.rates, seconds),
    maxUsage: maxTranscriptionUsage(seconds, bodyBytes),
  }
}

/** Vendors recognize a file's type by the extension of its name. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/flac': 'flac',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/webm': 'webm',
}
const KNOWN_EXTENSION = /\.(flac|mp3|mp4|mpeg|mpga|m4a|oga|ogg|opus|wav|webm)$/i

function withExtension(file: Upload): Upload {
  const extension = EXTENSIONS[file.type]
  if (extension === undefined || KNOWN_EXTENSION.test(file.filename)) return file
  return { ...file, filename: `${file.filename === '' ? 'audio' : file.filename}.${extension}` }
}

/** The form that is sent: everything that arrived, except for the fields that the gateway sets itself. */
export function outgoingForm({ input, vendorFormat, asksStream }: PreparedTranscription): Form {
  const own = ['response_format', 'stream']
  const forwarded = input.form.parts
    .filter(({ name }) => !own.includes(stripArraySuffix(name)))
    .map((part): FormPart => ('file' in part ? { ...part, file: withExtension(part.file) } : part))
  const stream: FormPart[] = asksStream ? [{ name: 'stream', value: 'true' }] : []
  return { parts: [{ name: 'response_format', value: vendorFormat }, ...stream, ...forwarded] }
}

/** The part of a request that a model reads as text. */
export const textOf = ({ prompt, keywords }: TranscriptionFields): string => [prompt ?? '', ...(keywords ?? [])].join('\n')
