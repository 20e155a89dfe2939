import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { canReach, findBlockedDir, findServerUser, hasErrorCode, type Identity, isRoot, ownerOf } from './system-user.ts'

/** Where a server's files are, and which user it runs as. */
export interface Place {
  /** Our directory. It contains `server/`, the log and, at times, a directory that is being made. */
  home: string
  /** The data directory itself, owned by `runAs`. */
  cluster: string
  /** The file with the password of the one database user, which only we can read. */
  passwordFile: string
  logFile: string
  /** The user that runs the server; undefined means the user of this process. */
  runAs: Identity | undefined
}

/**
 * Chooses the place of a server for which the directory `wanted` was requested. For an ordinary user this is `wanted` itself. If
 * this process is root, PostgreSQL runs as another user, who must be able to enter the directory. If that user cannot, the
 * server's files are in /var/lib (or the temporary directory), a file `location` in `wanted` names that place from then on, and
 * a line in the log says so.
 */
export async function choosePlace(wanted: string, log: (line: string) => void): Promise<Place> {
  const requested = resolve(wanted)
  if (!isRoot()) {
    await makeOpenDirectory(requested, 0o700)
    return placeAt(requested, await assertOwnData(requested))
  }
  if (await hasCluster(requested)) return placeAt(requested, await ownerWithAccess(requested))
  const moved = await readLocation(requested)
  if (moved) return placeAt(moved, await ownerOfMoved(requested, moved))

  const runAs = await findServerUser()
  await makeOpenDirectory(requested, 0o711)
  const blockedDir = await findBlockedDir(requested, runAs)
  if (blockedDir === undefined) return placeAt(requested, runAs)
  const home = await createFallbackHome(requested, runAs)
  await writeFile(join(requested, 'location'), `${home}\n`)
  log(
    `the database lives in ${home} and not in ${requested}, because PostgreSQL does not run as root, and the user ` +
      `${runAs.name} may not enter ${blockedDir}`,
  )
  return placeAt(home, runAs)
}

function placeAt(home: string, runAs: Identity | undefined): Place {
  return {
    home,
    cluster: join(home, 'server', 'data'),
    passwordFile: join(home, 'server', 'password'),
    logFile: join(home, 'server.log'),
    runAs,
  }
}

/** True if a data directory was made under this home. It appears complete or not at all. */
export async function hasCluster(home: string): Promise<boolean> {
  try {
    await lstat(join(home, 'server'))
    return true
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return false
    throw error
  }
}

/** True if there is a server for which `wanted` was requested, or a place was chosen for it. */
export async function hasPlace(wanted: string): Promise<boolean> {
  return (await hasCluster(wanted)) || (await readLocation(wanted)) !== undefined
}

async function ownerOfMoved(requested: string, home: string): Promise<Identity> {
  if (await hasCluster(home)) return ownerWithAccess(home)
  await lstat(home).catch((error: unknown) => {
    if (!hasErrorCode(error, 'ENOENT')) throw error
    throw new Error(
      `The database was in ${home}, which is gone. Put it back, or remove ${join(requested, 'location')} to begin with an empty one.`,
    )
  })
  // Another process is about to fill it, or was interrupted while it did.
  return findServerUser()
}

async function ownerWithAccess(home: string): Promise<Identity> {
  const owner = await ownerOf(join(home, 'server', 'data'))
  const blockedDir = await findBlockedDir(join(home, 'server'), owner)
  if (blockedDir === undefined) return owner
  // An empty database in another place would look like lost money, so an error says what is wrong.
  throw new Error(
    `The database in ${home} belongs to the user ${owner.name}, who may not enter ${blockedDir} any more. ` +
      `Allow it (chmod o+x ${blockedDir}), or set DATABASE_URL.`,
  )
}

/** Throws a readable error if the user who runs the server of `home` could not start one on a copy in `folder`. */
export async function assertAccessible(home: string, folder: string): Promise<void> {
  if (!isRoot()) return
  const owner = await ownerOf(join(home, 'server', 'data'))
  const blockedDir = await findBlockedDir(folder, owner)
  if (blockedDir === undefined) return
  throw new Error(
    `PostgreSQL runs as the user ${owner.name}, who may not enter ${blockedDir}, so that a copy could not be tried there. ` +
      'Name another folder, or allow it to be entered (chmod o+x).',
  )
}

async function assertOwnData(home: string): Promise<undefined> {
  if (process.getuid === undefined) return
  const moved = await readLocation(home)
  if (!moved && !(await hasCluster(home))) return
  const owner = moved ? undefined : await ownerOf(join(home, 'server', 'data'))
  if (owner?.uid === process.getuid()) return
  throw new Error(
    `The database in ${moved ?? home} belongs to another user${owner ? `, ${owner.name}` : ''}: start this program as that ` +
      'user, or as root if root made it, or set DATABASE_URL.',
  )
}

/** The place that `choosePlace` noted in a directory that could not be used; undefined if none is noted yet. */
async function readLocation(requested: string): Promise<string | undefined> {
  const text = await readFile(join(requested, 'location'), 'utf8').catch(() => '')
  return text.trim() || undefined
}

async function createFallbackHome(requested: string, runAs: Identity): Promise<string> {
  const name = `tollgate-${createHash('sha256').update(requested).digest('hex').slice(0, 12)}`
  const failures: string[] = []
  for (const parent of ['/var/lib', tmpdir()]) {
    const home = join(parent, name)
    try {
      if (!(await canReach(parent, runAs))) throw new Error(`${runAs.name} may not enter ${parent}`)
      await mkdir(home, { mode: 0o711 }).catch((error: unknown) => {
        if (!hasErrorCode(error, 'EEXIST')) throw error
      })
      // In a directory that everyone may write to, another user could have taken the name.
      const stats = await lstat(home)
      if (!stats.isDirectory() || stats.uid !== process.getuid?.()) throw new Error(`${home} is not ours`)
      await chmod(home, 0o711)
      return home
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new Error(
    `PostgreSQL runs as the user ${runAs.name}, who may not enter ${requested}, and no other place could be made ` +
      `(${failures.join('; ')}). Choose another DATA_DIR, or set DATABASE_URL.`,
  )
}

/** Makes a directory and its missing parents with this mode, regardless of the umask. */
async function makeOpenDirectory(path: string, mode: number): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode })
  if (first !== undefined) {
    for (let at = path; at.length >= first.length; at = dirname(at)) await chmod(at, mode)
  } else if (isRoot()) {
    // It is ours, from an earlier start that may have had another umask.
    if ((await lstat(path)).uid === 0) await chmod(path, mode)
  }
}
