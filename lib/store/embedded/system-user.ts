import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** A user of the operating system that PostgreSQL runs as, because it refuses to run as root. */
export interface Identity {
  uid: number
  gid: number
  name: string
}

/** True for a system error with this code, such as `ENOENT`. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** True where this process is root, and must hand PostgreSQL to another user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** The users of a file in the form of /etc/passwd. */
export function parsePasswd(text: string): Identity[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    if (!name || name.startsWith('#') || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? '')) return []
    return [{ name, uid: Number(uid), gid: Number(gid) }]
  })
}

/** The user that runs a new data directory when this process is root: `postgres`, else `nobody`. */
export async function servant(passwd = '/etc/passwd'): Promise<Identity> {
  const users = parsePasswd(await readFile(passwd, 'utf8').catch(() => ''))
  const found = users.find((user) => user.name === 'postgres') ?? users.find((user) => user.name === 'nobody')
  if (found && found.uid !== 0) return found
  throw new Error(
    'PostgreSQL does not run as root, and /etc/passwd names neither a user postgres nor nobody. ' +
      'Start this program as an ordinary user, or set DATABASE_URL.',
  )
}

/** The owner of an existing data directory, which is the only user that PostgreSQL opens it as. */
export async function ownerOf(dataDir: string): Promise<Identity> {
  const { uid, gid } = await stat(dataDir)
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8').catch(() => ''))
  return { uid, gid, name: users.find((user) => user.uid === uid)?.name ?? `uid ${uid}` }
}

/** The first directory on the way to `path` (itself included) that `who` may not enter, if any. */
export async function closedTo(path: string, who: Identity): Promise<string | undefined> {
  const way: string[] = []
  for (let at = resolve(path); ; at = dirname(at)) {
    way.unshift(at)
    if (at === dirname(at)) break
  }
  for (const at of way) {
    const seen = await stat(at).catch((error: unknown) => {
      // What does not exist yet is made by us, open enough.
      if (isCode(error, 'ENOENT')) return undefined
      throw error
    })
    if (!seen) return undefined
    const shift = seen.uid === who.uid ? 6 : seen.gid === who.gid ? 3 : 0
    if (((seen.mode >> shift) & 0o1) === 0) return at
  }
  return undefined
}

/** True where `who` may enter every directory on the way to `path`, itself included. */
export async function canReach(path: string, who: Identity): Promise<boolean> {
  return (await closedTo(path, who)) === undefined
}
