import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its missing parents. Node's recursive mkdir never returns for a folder in which nothing can be created,
 * such as /proc. This throws the system's error instead.
 */
export function makeFolders(path: string): void {
  if (tryMakeFolder(path) === null) return
  // If it exists now, another process has just created it.
  if (!existsSync(dirname(path))) makeFolders(dirname(path))
  const missing = tryMakeFolder(path)
  if (missing !== null) throw missing
}

/** Creates one folder. Returns null if the folder exists now, or the error if its parent is missing. Throws any other error. */
function tryMakeFolder(path: string): unknown {
  try {
    mkdirSync(path)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT') return error
    if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
  return null
}
