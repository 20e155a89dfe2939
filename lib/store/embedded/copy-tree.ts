import { chmod, chown, constants, copyFile, mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldIn } from '../../domain/field-in.ts'
import { hasErrorCode, type Identity, isRoot } from './system-user.ts'

/** What is copied from a folder, and who owns the copy. */
export interface CopyOptions {
  /** Returns true for a file or folder to leave out. It gets the path within the tree, with slashes. */
  skip?: (path: string) => boolean
  /** Who owns the copies if this process is root. By default the owner of the originals. */
  owner?: Pick<Identity, 'uid' | 'gid'>
  /** The mode of every file, in place of that of its original. For files that nobody else may read. */
  fileMode?: number
  /** Aborts the copying, which then rejects. */
  signal?: AbortSignal | undefined
}

const CHUNK_BYTES = 1024 * 1024

/**
 * Copies a folder that others may be writing to, with its modes. Returns its size in bytes once all of it is on the disk. What
 * vanishes meanwhile is left out, and so is what is neither a file nor a folder. The target may exist.
 */
export async function copyTree(from: string, to: string, options: CopyOptions): Promise<number> {
  return (await copyFolder(from, to, '', options)) ?? 0
}

async function copyFolder(from: string, to: string, path: string, options: CopyOptions): Promise<number | undefined> {
  const entries = await undefinedIfMissing(readdir(join(from, path), { withFileTypes: true }))
  if (entries === undefined) return undefined
  await mkdir(join(to, path), { recursive: true, mode: 0o700 })
  let bytes = 0
  for (const entry of entries) {
    options.signal?.throwIfAborted()
    const relativePath = path === '' ? entry.name : `${path}/${entry.name}`
    if (options.skip?.(relativePath)) continue
    if (entry.isDirectory()) bytes += (await copyFolder(from, to, relativePath, options)) ?? 0
    else if (entry.isFile()) bytes += await copyOne(join(from, relativePath), join(to, relativePath), options)
  }
  await copyAttributes(join(from, path), join(to, path), options)
  return bytes
}

/** Copies one file. Returns its size in bytes, 0 if it is gone. Shares blocks with the original if the file system can. */
export async function copyOne(from: string, to: string, options: CopyOptions = {}): Promise<number> {
  if ((await undefinedIfMissing(cloneOrRead(from, to, options.signal))) === undefined) return 0
  await copyAttributes(from, to, options)
  return (await stat(to)).size
}

/** Clones a file, or reads it to its current end. Node's own copy loops forever if the file becomes shorter meanwhile. */
async function cloneOrRead(from: string, to: string, signal: AbortSignal | undefined): Promise<true> {
  const cloned = await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    (error: unknown) => {
      if (hasErrorCode(error, 'ENOENT')) throw error
      return false
    },
  )
  if (cloned) return true
  const source = await open(from, 'r')
  try {
    const target = await open(to, 'w', 0o600)
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      for (;;) {
        signal?.throwIfAborted()
        const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES)
        if (bytesRead === 0) return true
        await target.writeFile(chunk.subarray(0, bytesRead)).catch(rethrowWithPath(to))
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Gives a file or folder the mode and the owner of another, and waits until this is on the disk. */
export async function copyAttributes(from: string, to: string, { owner, fileMode }: CopyOptions = {}): Promise<void> {
  // The original may be gone by now. Its copy then stays as it is.
  const stats = await undefinedIfMissing(stat(from))
  if (stats) await chmod(to, fileMode !== undefined && stats.isFile() ? fileMode : stats.mode & 0o7777)
  const { uid, gid } = owner ?? stats ?? {}
  if (isRoot() && uid !== undefined && gid !== undefined) await chown(to, uid, gid)
  await flush(to)
}

/** Waits until a file, or the list of names in a folder, is on the disk. */
export async function flush(path: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync().catch(rethrowWithPath(path))
  } finally {
    await handle.close()
  }
}

/** An error of an open file, such as that of a full disk, does not name the file. */
const rethrowWithPath = (path: string) => (error: Error) => {
  throw Object.assign(new Error(`${error.message} '${path}'`, { cause: error }), { code: fieldIn(error, 'code') })
}

async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}
