import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it that are missing. Node's own way tries for ever where there is a folder in which none can
 * be made, as /proc is; this throws what the system says.
 */
export function makeFolders(path: string): void {
  if (make(path) === null) return
  // Where it is there now, another process has made it just then.
  if (!existsSync(dirname(path))) makeFolders(dirname(path))
  const missing = make(path)
  if (missing !== null) throw missing
}

/** Null where the folder is there now, else that the one above it is missing. Throws what else is wrong. */
function make(path: string): unknown {
  try {
    mkdirSync(path)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT') return error
    if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
  return null
}
