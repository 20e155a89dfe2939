import { curl, formCurl } from '../curl.ts'
import { asRecord, asText, type Json, type JsonRecord } from './json.ts'

/** The file name in the note that the history keeps of an upload: `talk.mp3 [audio/mpeg, 4096 bytes, sha256 ...]`. */
const fileName = (note: string): string => note.replace(/ \[[^[]*\]$/, '')

/** The uploads of a request, with their form field names. */
function filesOf({ file, image, mask }: JsonRecord): [string, string][] {
  const notes = (value: Json | undefined) =>
    (Array.isArray(value) ? value : [value ?? null]).flatMap((item) => asText(item) ?? [])
  const images = notes(image)
  return [
    ...notes(file).map((note): [string, string] => ['file', fileName(note)]),
    ...images.map((note): [string, string] => [images.length > 1 ? 'image[]' : 'image', fileName(note)]),
    ...notes(mask).map((note): [string, string] => ['mask', fileName(note)]),
  ]
}

/** A shell command that repeats a request from the history. Files, which the history does not keep, are given by their names. */
export function repeatCurl(url: string, body: Json): string {
  const fields = asRecord(body)
  const files = fields ? filesOf(fields) : []
  if (files.length > 0) {
    const { file: _, image: __, mask: ___, ...texts } = fields ?? {}
    return formCurl(url, texts, files)
  }
  if (!url.endsWith('/audio/speech') || fields?.stream_format === 'sse') return curl({ url, body })
  return curl({ url, body, output: `speech.${asText(fields?.response_format) ?? 'mp3'}` })
}
