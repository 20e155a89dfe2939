import { crc32, deflateSync } from 'node:zlib'
import { type Call, sendJson } from './vendor.ts'

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A gray PNG of this size. `shade`, from 0 to 255, distinguishes one from another. */
export function pngOf(width = 4, height = 4, shade = 128): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  const rows = Buffer.alloc((width + 1) * height, shade)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const CREATED = 1_700_000_000

/** The token counts of OpenAI's newer image models. */
export const imageUsage = (text: number, seen: number, made: number) => ({
  input_tokens: text + seen,
  output_tokens: made,
  total_tokens: text + seen + made,
  input_tokens_details: { text_tokens: text, image_tokens: seen },
})

/** A non-streaming answer with these items. */
export const imagesOf = (items: object[], more: object = {}) => ({ created: CREATED, data: items, ...more })

/** Answers with as many images as requested, in base64. */
export function sendImages(call: Call): void {
  const count = typeof call.body.n === 'number' ? call.body.n : 1
  sendJson(call, imagesOf(Array.from({ length: count }, (_, at) => ({ b64_json: pngOf(4, 4, at).toString('base64') }))))
}

/** An event of a streamed answer as OpenAI sends it: with its type both in the event line and in the data. */
export const imageEventOf = (type: string, image: Buffer, more: object = {}): string => {
  const data = {
    type,
    b64_json: image.toString('base64'),
    created_at: CREATED,
    size: '1024x1024',
    quality: 'high',
    background: 'opaque',
    output_format: 'png',
    ...more,
  }
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
