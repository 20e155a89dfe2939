import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileStore, OpenFile } from './store.ts'

/** How much is read at a time. */
const READ_CHUNK_BYTES = 128 * 1024
const HOUR = /^\d{10}$/
const NOT_FOUND_CODES = new Set(['ENOENT', 'ENOTDIR'])

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

/** Files in a folder of this machine, with one subfolder for each hour in which files expire. */
export class DiskStore implements FileStore {
  readonly location: string
  readonly #dir: string

  constructor(dir: string) {
    this.location = dir
    this.#dir = dir
  }

  async put(name: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ bytes: number }> {
    const path = join(this.#dir, name)
    const folder = dirname(path)
    if (await mkdir(folder, { recursive: true, mode: 0o700 })) await syncFolder(this.#dir)
    // A file gets its name only when it is complete. What a crash leaves is removed with its folder.
    const part = `${path}.part`
    const file = await open(part, 'wx', 0o600)
    try {
      const bytes = await writeAll(file, content)
      await file.sync()
      await file.close()
      await rename(part, path)
      await syncFolder(folder)
      return { bytes }
    } catch (error) {
      await file.close().catch(() => undefined)
      await rm(part, { force: true }).catch(() => undefined)
      await rm(path, { force: true }).catch(() => undefined)
      throw error
    }
  }

  async open(name: string): Promise<OpenFile | null> {
    try {
      const file = await open(join(this.#dir, name), 'r')
      try {
        const { size } = await file.stat()
        return { bytes: size, read: (first, last) => read(file, first, last), close: () => file.close() }
      } catch (error) {
        await file.close()
        throw error
      }
    } catch (error) {
      if (NOT_FOUND_CODES.has(String(codeOf(error)))) return null
      throw error
    }
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#dir, name), { force: true })
  }

  async sweep(beforeHour: string): Promise<number> {
    const hours = await readdir(this.#dir).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return []
      throw error
    })
    let count = 0
    for (const hour of hours.filter((name) => HOUR.test(name) && name < beforeHour)) {
      const folder = join(this.#dir, hour)
      count += (await readdir(folder).catch(() => [])).length
      await rm(folder, { recursive: true, force: true })
    }
    return count
  }
}

async function writeAll(file: FileHandle, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<number> {
  if (content instanceof Uint8Array) {
    await file.writeFile(content)
    return content.byteLength
  }
  let bytes = 0
  for await (const piece of content) {
    await file.appendFile(piece)
    bytes += piece.byteLength
  }
  return bytes
}

/** Makes the names in a folder durable. Windows cannot open folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function* read(file: FileHandle, first: number, last: number): AsyncGenerator<Uint8Array> {
  for (let at = first; at <= last; ) {
    const piece = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, last + 1 - at))
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) throw new Error('a file is shorter than before')
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}
