import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { canReach, closedTo, type Identity, isCode, isRoot, ownerOf, servant } from './system-user.ts'

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
  const asked = resolve(wanted)
  if (!isRoot()) {
    await makeOpenDirectory(asked, 0o700)
    return placeAt(asked, await refuseOthersData(asked))
  }
  if (await hasCluster(asked)) return placeAt(asked, await ownerThatReaches(asked))
  const moved = await readLocation(asked)
  if (moved) return placeAt(moved, await ownerOfMoved(asked, moved))

  const runAs = await servant()
  await makeOpenDirectory(asked, 0o711)
  const closed = await closedTo(asked, runAs)
  if (closed === undefined) return placeAt(asked, runAs)
  const home = await fallback(asked, runAs)
  await writeFile(join(asked, 'location'), `${home}\n`)
  log(
    `the database lives in ${home} and not in ${asked}, because PostgreSQL does not run as root, and the user ` +
      `${runAs.name} may not enter ${closed}`,
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
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return false
    throw error
  }
}

/** True if there is a server for which `wanted` was requested, or a place was chosen for it. */
export async function hasPlace(wanted: string): Promise<boolean> {
  return (await hasCluster(wanted)) || (await readLocation(wanted)) !== undefined
}

async function ownerOfMoved(asked: string, home: string): Promise<Identity> {
  if (await hasCluster(home)) return ownerThatReaches(home)
  await lstat(home).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error
    throw new Error(
      `The database was in ${home}, which is gone. Put it back, or remove ${join(asked, 'location')} to begin with an empty one.`,
    )
  })
  // Another process is about to fill it, or was interrupted while it did.
  return servant()
}

async function ownerThatReaches(home: string): Promise<Identity> {
  const owner = await ownerOf(join(home, 'server', 'data'))
  const closed = await closedTo(join(home, 'server'), owner)
  if (closed === undefined) return owner
  // An empty database in another place would look like lost money, so an error says what is wrong.
  throw new Error(
    `The database in ${home} belongs to the user ${owner.name}, who may not enter ${closed} any more. ` +
      `Allow it (chmod o+x ${closed}), or set DATABASE_URL.`,
  )
}

/** Throws a readable error if the user who runs the server of `home` could not start one on a copy in `folder`. */
export async function refuseClosed(home: string, folder: string): Promise<void> {
  if (!isRoot()) return
  const owner = await ownerOf(join(home, 'server', 'data'))
  const closed = await closedTo(folder, owner)
  if (closed === undefined) return
  throw new Error(
    `PostgreSQL runs as the user ${owner.name}, who may not enter ${closed}, so that a copy could not be tried there. ` +
      'Name another folder, or allow it to be entered (chmod o+x).',
  )
}

async function refuseOthersData(home: string): Promise<undefined> {
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
async function readLocation(asked: string): Promise<string | undefined> {
  const text = await readFile(join(asked, 'location'), 'utf8').catch(() => '')
  return text.trim() || undefined
}

async function fallback(asked: string, runAs: Identity): Promise<string> {
  const name = `tollgate-${createHash('sha256').update(asked).digest('hex').slice(0, 12)}`
  const refused: string[] = []
  for (const parent of ['/var/lib', tmpdir()]) {
    const home = join(parent, name)
    try {
      if (!(await canReach(parent, runAs))) throw new Error(`${runAs.name} may not enter ${parent}`)
      await mkdir(home, { mode: 0o711 }).catch((error: unknown) => {
        if (!isCode(error, 'EEXIST')) throw error
      })
      // In a directory that everyone may write to, another user could have taken the name.
      const seen = await lstat(home)
      if (!seen.isDirectory() || seen.uid !== process.getuid?.()) throw new Error(`${home} is not ours`)
      await chmod(home, 0o711)
      return home
    } catch (error) {
      refused.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new Error(
    `PostgreSQL runs as the user ${runAs.name}, who may not enter ${asked}, and no other place could be made ` +
      `(${refused.join('; ')}). Choose another DATA_DIR, or set DATABASE_URL.`,
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
