import { crc32 } from 'node:zlib'
import { type Call, sendJson } from './vendor.ts'

/** A string header of a frame: its name, the type 7, its value. */
function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)])
}

/** A frame of Amazon's event stream encoding: lengths, their checksum, headers, the payload, and the checksum of everything. */
export function bedrockFrame(type: string, payload: object, message: 'event' | 'exception' = 'event'): Buffer {
  const headers = Buffer.concat([
    header(message === 'event' ? ':event-type' : ':exception-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', message),
  ])
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(16 + headers.length + body.length, 0)
  prelude.writeUInt32BE(headers.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const all = Buffer.concat([prelude, headers, body])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(all))
  return Buffer.concat([all, sum])
}

/** An exception in the middle of a stream: `{ throttlingException: { message } }`. */
const exceptionOf = (payload: object): Buffer =>
  Buffer.concat(Object.entries(payload).map(([name, said]) => bedrockFrame(name, said as object, 'exception')))

/** Answers as Bedrock: JSON as a whole, or the lines of events as frames, cut after every `pieceBytes` bytes. */
export function respondBedrock(text: string, stream: boolean, pieceBytes = Number.POSITIVE_INFINITY) {
  return (call: Call): void => {
    if (!stream) {
      sendJson(call, JSON.parse(text))
      return
    }
    const frames = text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .flatMap((line) => Object.entries(JSON.parse(line) as Record<string, object>))
      .map(([name, payload]) => (name === 'exception' ? exceptionOf(payload) : bedrockFrame(name, payload)))
    const bytes = Buffer.concat(frames)
    call.response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      call.response.write(bytes.subarray(at, Math.min(bytes.length, at + pieceBytes)))
      if (pieceBytes === Number.POSITIVE_INFINITY) break
    }
    call.response.end()
  }
}
