import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findBinaries } from './binaries.ts'
import { copyOne, copyTree, flush } from './copy-tree.ts'
import { choosePlace, hasCluster, type Place } from './place.ts'

/**
 * Checks whether the backup of a server can be restored to the place where `startEmbedded` looks for the server of `wanted`.
 * Returns the function that restores it, completely or not at all. Rejects if a server is already there, because it is never
 * overwritten, and if the installed PostgreSQL has another major version.
 */
export async function prepareRestore(from: string, wanted: string, log: (line: string) => void): Promise<() => Promise<void>> {
  const [backupVersion, { major, version }] = [
    await readFile(join(from, 'server', 'data', 'PG_VERSION'), 'utf8'),
    await findBinaries(),
  ]
  if (backupVersion.trim() !== major)
    throw new Error(
      `The backup is of PostgreSQL ${backupVersion.trim()}, and the installed one is ${version}. Restore it with the release that made it.`,
    )
  const place = await choosePlace(wanted, log)
  if (await hasCluster(place.home))
    throw new Error(`There is a database in ${place.home}. Stop its gateway, move that folder away, and try again.`)
  return () => restoreTo(place, from)
}

async function restoreTo(place: Place, from: string): Promise<void> {
  const partial = await mkdtemp(join(place.home, 'making-'))
  try {
    const owner = place.runAs ? { owner: place.runAs } : {}
    await copyTree(join(from, 'server', 'data'), join(partial, 'data'), owner)
    await copyOne(join(from, 'server', 'password'), join(partial, 'password'))
    await chmod(partial, place.runAs ? 0o711 : 0o700)
    await rename(partial, join(place.home, 'server'))
    await flush(place.home)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}
