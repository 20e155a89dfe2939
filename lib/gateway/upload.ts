import { createHash, type Hash } from 'node:crypto'
import { Refusal, refuseField } from '../domain/errors.ts'
import type { Upload } from '../domain/form.ts'
import { mediaTypeOf, SIGNATURE_BYTES } from '../domain/media-type.ts'
import type { FileRule } from '../wire/endpoint.ts'
import type { SpoolFile } from './ports.ts'

/** How much memory all files of a form together may take. */
export interface MemoryBudget {
  leftBytes: number
}

export interface UploadOptions {
  /** The name of the part, for refusals. */
  name: string
  filename: string
  rule: FileRule
  memory: MemoryBudget
  /** Creates a file on disk. The provider of this function removes it. */
  createFile(): Promise<SpoolFile>
}

/** Takes a file of a form as it arrives: checks it, and keeps it in memory or, beyond that, on disk. Throws refusals. */
export async function takeUpload(body: AsyncIterable<Buffer>, options: UploadOptions): Promise<Upload> {
  const hash = createHash('sha256')
  const store = new UploadStore(options)
  const check = new TypeCheck(options)
  for await (const chunk of body) {
    if (store.bytes + chunk.byteLength > options.rule.maxBytes) throw fileTooLarge(options)
    check.addChunk(chunk)
    hash.update(chunk)
    await store.add(chunk)
  }
  if (store.bytes === 0) throw refuseField(options.name, `The file "${options.name}" is empty. Send the file itself.`)
  return { filename: options.filename, type: check.determineType(), ...(await store.finish(hash)) }
}

function fileTooLarge({ name, rule }: UploadOptions): Refusal {
  return new Refusal('too_large', `The file "${name}" is larger than ${formatSize(rule.maxBytes)}. Send a smaller one.`, {
    param: name,
  })
}

/** A size in human-readable form. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const kib = bytes / 1024
  return kib < 1024 ? `${Math.floor(kib)} KiB` : `${Math.floor((kib / 1024) * 10) / 10} MiB`
}

/** Determines the type of a file as soon as enough of it has arrived. */
class TypeCheck {
  readonly #options: UploadOptions
  #head: Buffer = Buffer.alloc(0)
  #type: string | null = null

  constructor(options: UploadOptions) {
    this.#options = options
  }

  addChunk(chunk: Buffer): void {
    if (this.#type !== null) return
    this.#head = Buffer.concat([this.#head, chunk.subarray(0, SIGNATURE_BYTES - this.#head.byteLength)])
    if (this.#head.byteLength === SIGNATURE_BYTES) this.determineType()
  }

  determineType(): string {
    const { name, rule } = this.#options
    this.#type ??= mediaTypeOf(this.#head, rule.types)
    if (this.#type === null)
      throw refuseField(
        name,
        `The content of the file "${name}" is none of ${rule.types.join(', ')}, regardless of its name. Send a file of one of these types.`,
      )
    return this.#type
  }
}

/** How much goes to disk at once. */
const BATCH_BYTES = 512 * 1024

/** Keeps what arrives: in memory while there is room, and from then on all of it on disk, what came before included. */
class UploadStore {
  readonly #options: UploadOptions
  #pieces: Buffer[] = []
  #piecesBytes = 0
  #file: SpoolFile | null = null
  bytes = 0

  constructor(options: UploadOptions) {
    this.#options = options
  }

  async add(chunk: Buffer): Promise<void> {
    this.bytes += chunk.byteLength
    this.#pieces.push(chunk)
    this.#piecesBytes += chunk.byteLength
    if (this.#file) {
      if (this.#piecesBytes >= BATCH_BYTES) await this.#flush(this.#file)
    } else if (chunk.byteLength > this.#options.memory.leftBytes) {
      const held = this.#piecesBytes - chunk.byteLength
      this.#file = await this.#options.createFile()
      await this.#flush(this.#file)
      this.#options.memory.leftBytes += held
    } else this.#options.memory.leftBytes -= chunk.byteLength
  }

  async #flush(file: SpoolFile): Promise<void> {
    const pieces = this.#pieces
    this.#pieces = []
    this.#piecesBytes = 0
    await file.write(pieces)
  }

  async finish(hash: Hash): Promise<Pick<Upload, 'bytes' | 'sha256' | 'path' | 'read'>> {
    const about = { bytes: this.bytes, sha256: hash.digest('hex') }
    const file = this.#file
    if (file) {
      if (this.#piecesBytes > 0) await this.#flush(file)
      await file.close()
      return { ...about, path: file.path, read: () => file.read() }
    }
    // A copy, because the pieces are slices of larger buffers, which would stay in memory with them.
    const held = Buffer.concat(this.#pieces)
    this.#pieces = []
    return {
      ...about,
      path: null,
      async *read() {
        yield held
      },
    }
  }
}
