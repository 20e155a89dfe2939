import { Refusal } from '../domain/errors.ts'
import type { SpoolFile, SpoolPort, TrafficPort } from './ports.ts'

/** Counts nothing. */
export const NO_TRAFFIC: TrafficPort = { recordAttempt: () => undefined, recordFinished: () => undefined }

export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** A part of a form as a client writes it. */
export interface RawPart {
  name: string
  filename?: string
  type?: string
  body: string | Buffer
}

export const BOUNDARY = '----tollgate-test'

/** A multipart body, byte for byte. */
export function formBytes(parts: readonly RawPart[], boundary = BOUNDARY): Buffer {
  const pieces = parts.flatMap(({ name, filename, type, body }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n` +
        `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

/** A spool in memory that counts what it contains. */
export class MemorySpool implements SpoolPort {
  readonly maxBytes: number
  readonly files = new Set<SpoolFile>()
  created = 0
  usedBytes = 0

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.maxBytes = maxBytes
  }

  ensureCapacity(_accountId: string, bytes: number): void {
    if (this.usedBytes + bytes > this.maxBytes) throw new Refusal('too_many_requests', 'There is no room.', { retryAfter: 1 })
  }

  async create(accountId: string): Promise<SpoolFile> {
    const pieces: Buffer[] = []
    this.created++
    const file: SpoolFile = {
      path: `/spool/${this.created}`,
      write: async (chunks) => {
        const bytes = Buffer.concat(chunks)
        this.ensureCapacity(accountId, bytes.byteLength)
        this.usedBytes += bytes.byteLength
        pieces.push(bytes)
      },
      close: async () => undefined,
      async *read() {
        yield* pieces
      },
      remove: async () => {
        if (this.files.delete(file)) this.usedBytes -= pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
      },
    }
    this.files.add(file)
    return file
  }
}
