import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it that are missing. Node's own way tries for ever where there is a folder in which none can
 * be made, as /proc is; this throws what the system says.
 */
export function makeFolders(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error
    makeFolders(dirname(path))
    makeFolders(path)
  }
}
