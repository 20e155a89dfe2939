import { createHash, type Hash } from 'node:crypto'
import { Refusal } from '../domain/errors.ts'
import type { Upload } from '../domain/form.ts'
import { mediaTypeOf, TELLING_BYTES } from '../domain/media-type.ts'
import type { FileRule } from '../wire/endpoint.ts'
import type { SpoolFile } from './ports.ts'

/** What a form may keep in memory of its files, all of them together. */
export interface Memory {
  leftBytes: number
}

export interface Taking {
  /** As the part has it, for refusals. */
  name: string
  filename: string
  rule: FileRule
  memory: Memory
  /** Makes a file on disk, which whoever gave this removes. */
  createFile(): Promise<SpoolFile>
}

/** Takes a file of a form as it comes: checks it, and keeps it in memory or, past that, on disk. Throws refusals. */
export async function takeUpload(body: AsyncIterable<Buffer>, taking: Taking): Promise<Upload> {
  const hash = createHash('sha256')
  const store = new Store(taking)
  const check = new TypeCheck(taking)
  for await (const chunk of body) {
    if (store.bytes + chunk.byteLength > taking.rule.maxBytes) throw fileTooLarge(taking)
    check.look(chunk)
    hash.update(chunk)
    await store.add(chunk)
  }
  if (store.bytes === 0)
    throw new Refusal('invalid_request', `The file "${taking.name}" is empty. Send the file itself.`, { param: taking.name })
  return { filename: taking.filename, type: check.end(), ...(await store.end(hash)) }
}

function fileTooLarge({ name, rule }: Taking): Refusal {
  return new Refusal('too_large', `The file "${name}" is larger than ${sizeOf(rule.maxBytes)}. Send a smaller one.`, {
    param: name,
  })
}

/** A size as people say it. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const kib = bytes / 1024
  return kib < 1024 ? `${Math.floor(kib)} KiB` : `${Math.floor((kib / 1024) * 10) / 10} MiB`
}

/** Finds out what a file is, as soon as enough of it is here. */
class TypeCheck {
  readonly #taking: Taking
  #head: Buffer = Buffer.alloc(0)
  #type: string | null = null

  constructor(taking: Taking) {
    this.#taking = taking
  }

  look(chunk: Buffer): void {
    if (this.#type !== null) return
    this.#head = Buffer.concat([this.#head, chunk.subarray(0, TELLING_BYTES - this.#head.byteLength)])
    if (this.#head.byteLength === TELLING_BYTES) this.end()
  }

  end(): string {
    const { name, rule } = this.#taking
    this.#type ??= mediaTypeOf(this.#head, rule.types)
    if (this.#type === null)
      throw new Refusal(
        'invalid_request',
        `The content of the file "${name}" is none of ${rule.types.join(', ')}, regardless of its name. Send a file of one of these types.`,
        { param: name },
      )
    return this.#type
  }
}

/** So much goes to disk at once. */
const BATCH_BYTES = 512 * 1024

/** Keeps what comes: in memory while there is room, and from then on with all that came before on disk. */
class Store {
  readonly #taking: Taking
  #pieces: Buffer[] = []
  #piecesBytes = 0
  #file: SpoolFile | null = null
  bytes = 0

  constructor(taking: Taking) {
    this.#taking = taking
  }

  async add(chunk: Buffer): Promise<void> {
    this.bytes += chunk.byteLength
    this.#pieces.push(chunk)
    this.#piecesBytes += chunk.byteLength
    if (this.#file) {
      if (this.#piecesBytes >= BATCH_BYTES) await this.#flush(this.#file)
    } else if (chunk.byteLength > this.#taking.memory.leftBytes) {
      const held = this.#piecesBytes - chunk.byteLength
      this.#file = await this.#taking.createFile()
      await this.#flush(this.#file)
      this.#taking.memory.leftBytes += held
    } else this.#taking.memory.leftBytes -= chunk.byteLength
  }

  async #flush(file: SpoolFile): Promise<void> {
    const pieces = this.#pieces
    this.#pieces = []
    this.#piecesBytes = 0
    await file.write(pieces)
  }

  async end(hash: Hash): Promise<Pick<Upload, 'bytes' | 'sha256' | 'path' | 'read'>> {
    const about = { bytes: this.bytes, sha256: hash.digest('hex') }
    const file = this.#file
    if (file) {
      if (this.#piecesBytes > 0) await this.#flush(file)
      await file.close()
      return { ...about, path: file.path, read: () => file.read() }
    }
    // A copy: the pieces are parts of larger ones, which would stay in memory with them.
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
