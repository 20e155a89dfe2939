import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Form, FormPart } from '../domain/form.ts'

/** A form as it is sent. */
export interface OutgoingForm {
  /** The Content-Type header. */
  type: string
  /** The length of the body in bytes, which is known before its files are read. */
  bytes: number
  /** The body. Files are read at the pace at which it is read. May be called several times. */
  read(): AsyncIterable<Uint8Array>
}

/** A boundary that no file contains: 144 random bits. */
export const newBoundary = (): string => `tollgate-${randomBytes(18).toString('base64url')}`

const CRLF = Buffer.from('\r\n')

/** Writes a form as multipart/form-data (RFC 7578), with names as browsers write them (HTML, section 4.10.21.8). */
export function multipartOf({ parts }: Form, boundary: string): OutgoingForm {
  const heads = parts.map((part) => headOf(part, boundary))
  const tail = Buffer.from(`--${boundary}--\r\n`)
  const bytes = parts.reduce(
    (sum, part, n) => sum + (heads[n]?.byteLength ?? 0) + sizeOf(part) + CRLF.byteLength,
    tail.byteLength,
  )
  async function* read(): AsyncGenerator<Uint8Array> {
    for (const [n, part] of parts.entries()) {
      const head = heads[n] ?? CRLF
      if ('value' in part) yield Buffer.concat([head, Buffer.from(part.value), CRLF])
      else {
        yield head
        for await (const piece of part.file.read()) {
          // First read what the vendor has answered by now. If it has also hung up, the next write fails and its answer is lost.
          await setImmediate()
          yield piece
        }
        yield CRLF
      }
    }
    yield tail
  }
  return { type: `multipart/form-data; boundary=${boundary}`, bytes, read }
}

const sizeOf = (part: FormPart): number => ('value' in part ? Buffer.byteLength(part.value) : part.file.bytes)

function headOf(part: FormPart, boundary: string): Buffer {
  const file = 'file' in part ? part.file : null
  return Buffer.from(
    [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${escapeName(part.name)}"${file ? `; filename="${escapeName(file.filename)}"` : ''}`,
      ...(file ? [`Content-Type: ${TYPE.test(file.type) ? file.type : 'application/octet-stream'}`] : []),
      '\r\n',
    ].join('\r\n'),
  )
}

const TYPE = /^[\w.+-]+\/[\w.+-]+$/

const ESCAPES: Record<string, string> = { '"': '%22', '\r': '%0D', '\n': '%0A', '\0': '%00' }

/** Escapes the characters that would end the name or its line. */
const escapeName = (name: string): string => name.replace(/["\r\n\0]/g, (char) => ESCAPES[char] ?? '')
