import { pngOf } from '../fakes/image-vendor.ts'
import { wavOf } from '../fakes/wav.ts'
import type { Random } from '../support/random.ts'

/** One part of a form: its header lines as they are sent, and its content. */
interface Part {
  lines: string[]
  content: Buffer
}

/** A form as bytes, its path, and the content type that its header declares. */
export interface FuzzForm {
  path: string
  type: string
  body: Buffer
}

const WAV = wavOf(0.3)
const PNG = pngOf(8, 8, 1)

const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  '-1',
  '1e999',
  'NaN',
  'true',
  '[]',
  '{"a":1}',
  '\u{1f600}',
  'x'.repeat(5000),
  '\r\n',
  '--',
  'null',
]
const ODD_NAMES = [
  '',
  ' ',
  'model',
  'file',
  'image',
  'image[]',
  'mask',
  'n',
  'stream',
  '__proto__',
  'a"b',
  'a\\',
  '\u00e9',
  'x'.repeat(300),
]
const ODD_LINES = [
  'Content-Disposition: form-data',
  'Content-Disposition: attachment; name="file"',
  'Content-Disposition: form-data; name="file"; name="model"',
  "Content-Disposition: form-data; name=file; filename*=UTF-8''%E4%BD%A0.wav",
  "Content-Disposition: form-data; name=file; filename*=UTF-8''%E4%",
  'Content-Disposition: form-data; name="file"; filename="../../../etc/passwd"',
  'Content-Disposition: form-data; name="file"; filename="a\0b.wav"',
  'Content-Disposition: form-data; name="file"; filename="',
  'Content-Type: multipart/mixed; boundary=inner',
  'Content-Transfer-Encoding: base64',
  'Content-Length: 3',
  'no colon',
  ': no name',
  `X-Long: ${'y'.repeat(9000)}`,
]
const CONTENTS = [
  Buffer.alloc(0),
  Buffer.from('RIFF'),
  WAV.subarray(0, 60),
  PNG.subarray(0, 20),
  Buffer.from('<svg/>'),
  Buffer.alloc(70_000, 1),
]

const textPart = (name: string, value: string): Part => ({
  lines: [`Content-Disposition: form-data; name="${name}"`],
  content: Buffer.from(value),
})
const filePart = (name: string, filename: string, content: Buffer): Part => ({
  lines: [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, 'Content-Type: application/octet-stream'],
  content,
})

function validParts(random: Random): { path: string; parts: Part[] } {
  if (random.chance(0.6)) {
    const parts = [textPart('model', 'fake/hears'), filePart('file', 'a.wav', WAV)]
    if (random.chance(0.3)) parts.push(textPart('language', 'en'), textPart('temperature', '0.2'))
    if (random.chance(0.3)) parts.push(textPart('stream', 'true'))
    return { path: `/v1/audio/${random.pick(['transcriptions', 'transcriptions', 'translations'])}`, parts }
  }
  const parts = [textPart('model', 'fake/edits'), textPart('prompt', 'A heron.'), filePart('image', 'a.png', PNG)]
  if (random.chance(0.5)) parts.push(textPart('response_format', 'b64_json'), textPart('n', '1'))
  return { path: '/v1/images/edits', parts }
}

/** Changes one thing about a form's parts, in place. */
function changeParts(parts: Part[], random: Random): void {
  const part = random.pick(parts)
  random.pickWeighted<() => void>([
    [3, () => void parts.splice(parts.indexOf(part), 1)],
    [2, () => void parts.push({ ...part })],
    [3, () => Object.assign(part, { content: Buffer.from(random.pick(ODD_TEXTS)) })],
    [3, () => Object.assign(part, { content: random.pick(CONTENTS) })],
    [3, () => void parts.push(textPart(random.pick(ODD_NAMES), random.pick(ODD_TEXTS)))],
    [2, () => void parts.push(filePart(random.pick(ODD_NAMES), random.pick(ODD_NAMES), random.pick(CONTENTS)))],
    [3, () => Object.assign(part, { lines: [random.pick(ODD_LINES), ...part.lines.slice(random.integer(0, 1))] })],
    [2, () => Object.assign(part, { lines: [...part.lines, random.pick(ODD_LINES)] })],
    [1, () => Object.assign(part, { lines: [] })],
    [1, () => Object.assign(part, { lines: Array.from({ length: 40 }, (_, n) => `X-${n}: v`).concat(part.lines) })],
    [1, () => void parts.push(...Array.from({ length: 140 }, (_, n) => textPart(`x${n}`, '1')))],
    [1, () => void parts.reverse()],
  ])()
}

function bytesOf(parts: readonly Part[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ lines, content }) => [
    Buffer.from(`--${boundary}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`),
    content,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

/** Changes one thing about a form's bytes, or about the content type in its header. */
function changeBytes({ body, type, ...rest }: FuzzForm, random: Random): FuzzForm {
  const at = random.integer(0, body.length)
  const bytes = random.pickWeighted<() => Buffer>([
    [3, () => body.subarray(0, at)],
    [2, () => Buffer.concat([body.subarray(0, at), body.subarray(Math.min(body.length, at + random.integer(1, 40)))])],
    [
      3,
      () => {
        const changed = Buffer.from(body)
        for (let times = random.integer(1, 5); times > 0; times--)
          changed[random.integer(0, changed.length - 1)] = random.integer(0, 255)
        return changed
      },
    ],
    [1, () => Buffer.from(body.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')],
    [1, () => Buffer.concat([Buffer.from('A preamble.\r\n'), body, Buffer.from('An epilogue.')])],
    [1, () => Buffer.concat([body, body])],
    [1, () => Buffer.alloc(0)],
    [4, () => body],
  ])()
  const types = [
    type,
    type,
    type,
    'multipart/form-data',
    'multipart/form-data; boundary=other',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
    'multipart/mixed; boundary=a-boundary',
    `${type}; charset=utf-16`,
    `${type}; boundary=second`,
  ]
  return { ...rest, body: bytes, type: random.pick(types) }
}

/** A form of a request that takes one: valid, with changed parts, or with changed bytes. */
export function fuzzForm(random: Random): FuzzForm {
  const { path, parts } = validParts(random)
  const boundary = random.pick(['a-boundary', '----WebKitFormBoundary7MA4YWxkTrZu0gW', "b'()+_,-./:=?b", '-', 'x'.repeat(70)])
  if (random.chance(0.6))
    for (let times = random.integer(1, 3); times > 0 && parts.length > 0; times--) changeParts(parts, random)
  const form = { path, type: `multipart/form-data; boundary="${boundary}"`, body: bytesOf(parts, boundary) }
  return random.chance(0.3) ? changeBytes(form, random) : form
}
