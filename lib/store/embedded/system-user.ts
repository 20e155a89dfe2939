import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The operating system user that PostgreSQL runs as, because it refuses to run as root. */
export interface Identity {
  uid: number
  gid: number
  name: string
}

/** True for a system error with this code, such as `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** True if this process is root, and so has to run PostgreSQL as another user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** The users in a file of the format of /etc/passwd. */
export function parsePasswd(text: string): Identity[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    if (!name || name.startsWith('#') || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? '')) return []
    return [{ name, uid: Number(uid), gid: Number(gid) }]
  })
}

/** The user for a new data directory if this process is root: `postgres`, or else `nobody`. Throws if there is neither. */
export async function findServerUser(passwd = '/etc/passwd'): Promise<Identity> {
  const users = parsePasswd(await readFile(passwd, 'utf8').catch(() => ''))
  const found = users.find((user) => user.name === 'postgres') ?? users.find((user) => user.name === 'nobody')
  if (found && found.uid !== 0) return found
  throw new Error(
    'PostgreSQL does not run as root, and /etc/passwd names neither a user postgres nor nobody. ' +
      'Start this program as an ordinary user, or set DATABASE_URL.',
  )
}

/** The owner of an existing data directory, the only user as whom PostgreSQL opens it. */
export async function ownerOf(dataDir: string): Promise<Identity> {
  const { uid, gid } = await stat(dataDir)
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8').catch(() => ''))
  return { uid, gid, name: users.find((user) => user.uid === uid)?.name ?? `uid ${uid}` }
}

/** The first directory on the way to `path`, including `path`, that `who` may not enter; undefined if there is none. */
export async function findBlockedDir(path: string, who: Identity): Promise<string | undefined> {
  const ancestors: string[] = []
  for (let at = resolve(path); ; at = dirname(at)) {
    ancestors.unshift(at)
    if (at === dirname(at)) break
  }
  for (const at of ancestors) {
    const stats = await stat(at).catch((error: unknown) => {
      // We create what does not exist yet, with a sufficient mode.
      if (hasErrorCode(error, 'ENOENT')) return undefined
      throw error
    })
    if (!stats) return undefined
    const shift = stats.uid === who.uid ? 6 : stats.gid === who.gid ? 3 : 0
    if (((stats.mode >> shift) & 0o1) === 0) return at
  }
  return undefined
}

/** True if `who` may enter every directory on the way to `path`, including `path`. */
export async function canReach(path: string, who: Identity): Promise<boolean> {
  return (await findBlockedDir(path, who)) === undefined
}
