import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { flush } from '../store/embedded/copy-tree.ts'
import { pathExists } from '../store/embedded/path-exists.ts'

const markerPathIn = (dataDir: string): string => join(dataDir, 'restoring')

/** Marks a data folder as being restored, until the returned function is called. */
export async function markRestoring(dataDir: string): Promise<() => Promise<void>> {
  await writeFile(markerPathIn(dataDir), '', { mode: 0o600, flush: true })
  await flush(dataDir)
  return () => rm(markerPathIn(dataDir))
}

/** Throws if a backup was restored only partly. A start would make a new gateway of its secrets, with an empty database. */
export async function refuseHalfRestored(dataDir: string): Promise<void> {
  if (await pathExists(markerPathIn(dataDir)))
    throw new Error(
      `A backup was being restored into ${resolve(dataDir)}, and it is incomplete. If no restore is running, move the folder away (mv) and restore again.`,
    )
}
