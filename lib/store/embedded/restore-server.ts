import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findBinaries } from './binaries.ts'
import { copyOne, copyTree, flush } from './copy-tree.ts'
import { choosePlace, hasCluster } from './place.ts'

/**
 * Copies a server that was backed up to where `startEmbedded` looks for the one of `wanted`: whole or not at all. Rejects
 * where one is there already; nothing is ever written over it.
 */
export async function restoreServer(from: string, wanted: string, log: (line: string) => void): Promise<void> {
  const [made, { major, version }] = [await readFile(join(from, 'server', 'data', 'PG_VERSION'), 'utf8'), await findBinaries()]
  if (made.trim() !== major)
    throw new Error(
      `The backup is of PostgreSQL ${made.trim()}, and the installed one is ${version}. Restore it with the release that made it.`,
    )
  const place = await choosePlace(wanted, log)
  if (await hasCluster(place.home))
    throw new Error(`There is a database in ${place.home}. Stop its gateway, move that folder away, and try again.`)
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
