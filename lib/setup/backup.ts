import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { type AuditReport, auditReport } from '../ledger/audit.ts'
import { backUpServer } from '../store/embedded/base-backup.ts'
import { copyOne, copyTree, flush } from '../store/embedded/copy-tree.ts'
import { type Embedded, startEmbedded } from '../store/embedded/embedded.ts'
import { isThere } from '../store/embedded/is-there.ts'
import { refuseClosed } from '../store/embedded/place.ts'
import { openRestore } from '../store/embedded/restore-server.ts'
import { isCode } from '../store/embedded/system-user.ts'
import { readAudit } from '../store/ledger/audit-store.ts'
import { migrate } from '../store/migrate.ts'
import { makeFolders } from './make-folders.ts'
import { beginRestoring, refuseHalfRestored } from './restoring.ts'
import { openDataDir } from './secrets.ts'

const MARK = 'backup.json'
const SERVER = 'postgres'
const VOIDS = 'undelivered'
const SEALS = 'credentials-key'
const SECRETS = ['secret-key', SEALS, 'first-start.txt']
const FILES = 'files'
/** Whatever the originals' modes, nobody else may read it. */
const HIDDEN = { fileMode: 0o600 }

const mark = z.object({ begunAt: z.iso.datetime(), database: z.boolean() })

/** What is known of a backup: when it was begun, and whether the database is in it. */
export type Backup = z.infer<typeof mark>

type Say = (line: string) => void

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
/** Whether a path is that folder, or lies in it. */
const isWithin = (folder: string, path: string): boolean => !relative(folder, path).startsWith('..')

/** How long a server may take that has to replay the log of a copy. */
const REPLAY_MS = 24 * 3_600_000

/** Starts a server on a copy, looks whether the books balance there, and stops it. */
async function prove(dataDir: string, prepare: (url: string) => Promise<unknown>): Promise<AuditReport> {
  const server = await startEmbedded({ dataDir, port: 0, startTimeoutMs: REPLAY_MS })
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  pool.on('error', () => undefined)
  try {
    await prepare(server.url)
    return auditReport(await readAudit(pool, null))
  } finally {
    await pool.end()
    await server.stop()
  }
}

interface BackUp {
  dataDir: string
  folder: string
  /** The running server; null where the database is kept by somebody else. */
  embedded: Embedded | null
  /** Whether the root of all secrets is among the settings, and not in the data folder. */
  secretElsewhere: boolean
  say: Say
  /** Ends it, with nothing left behind. */
  signal: AbortSignal
}

/**
 * Copies all that a gateway keeps on this machine while it runs: secrets, files, and the database, which is then started
 * from the copy and audited. `folder` appears when it is whole, and not before; one that is there already is refused. Answers
 * the audit, null where the database is elsewhere; one that does not balance leaves the copy under its working name.
 */
export async function backUp({ folder, ...parts }: BackUp): Promise<AuditReport | null> {
  const target = resolve(folder)
  if (await isThere(target)) throw new Error(`${target} already exists. Name a folder that does not.`)
  if ([SERVER, VOIDS, FILES].some((name) => isWithin(resolve(parts.dataDir, name), target)))
    throw new Error(`${target} is inside what is backed up. Name another folder.`)
  if (!parts.secretElsewhere && (await textOf(join(parts.dataDir, 'secret-key'))) === '')
    throw new Error(`${resolve(parts.dataDir)} has no secret-key, and SECRET_KEY is not set. A backup is worthless without it.`)
  const partial = await openPartial(target)
  try {
    const report = await fill(partial, parts)
    if (report?.balanced === false) return report
    await rename(partial, target)
    await flush(dirname(target))
    return report
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function openPartial(target: string): Promise<string> {
  const partial = `${target}.partial`
  makeFolders(dirname(target))
  await mkdir(partial).catch((error: unknown) => {
    if (!isCode(error, 'EEXIST')) throw error
    throw new Error(
      `${partial} exists: another backup is in progress or was interrupted. If none is running, remove it and try again.`,
    )
  })
  await openDataDir(partial)
  return partial
}

async function fill(partial: string, { dataDir, embedded, say, signal }: Omit<BackUp, 'folder'>): Promise<AuditReport | null> {
  const about: Backup = { begunAt: new Date().toISOString(), database: embedded !== null }
  const sealed = await textOf(join(dataDir, SEALS))
  // Refunds that the database has not heard of are there before it or, if it has heard of them meanwhile, in it.
  await copyTree(join(dataDir, VOIDS), join(partial, VOIDS), HIDDEN)
  if (embedded) {
    await refuseClosed(embedded.dataDir, partial)
    const bytes = await backUpServer({ url: embedded.url, home: embedded.dataDir, target: join(partial, SERVER), signal })
    say(`The database is copied (${Math.ceil(bytes / 1e6)} MB).`)
  }
  await copyTree(join(dataDir, VOIDS), join(partial, VOIDS), HIDDEN)
  for (const name of SECRETS) await copyOne(join(dataDir, name), join(partial, name), HIDDEN)
  if ((await textOf(join(partial, SEALS))) !== sealed)
    throw new Error('Secrets were sealed with a new key in the meantime, so the copy might not open them. Try again.')
  // After the database: what its rows name is there, unless it has expired since.
  const bytes = await copyTree(join(dataDir, FILES), join(partial, FILES), { ...HIDDEN, signal })
  say(`Secrets and files are copied (${Math.ceil(bytes / 1e6)} MB).`)
  const report = embedded ? await prove(join(partial, SERVER), async () => signal.throwIfAborted()) : null
  if (report?.balanced === false) return report
  await writeFile(join(partial, MARK), `${JSON.stringify(about, null, 2)}\n`, { mode: 0o600, flush: true })
  await flush(partial)
  return report
}

async function readMark(folder: string): Promise<Backup> {
  const text = await textOf(join(folder, MARK))
  if (text === '')
    throw new Error(`${folder} is not a complete backup: it has no ${MARK}. The name of an interrupted one ends with .partial.`)
  return mark.parse(JSON.parse(text))
}

interface Restore {
  folder: string
  dataDir: string
  /** False where the database is kept by somebody else. */
  withDatabase: boolean
  say: Say
}

/**
 * Puts a backup where a gateway looks for what it keeps, starts the database there and audits it. Nothing is written over:
 * a data folder that holds secrets, files or a database is refused. The backup stays as it is.
 */
export async function restore(options: Restore): Promise<{ backup: Backup; report: AuditReport | null }> {
  const { dataDir, withDatabase, say } = options
  const from = resolve(options.folder)
  const backup = await readMark(from)
  if (withDatabase && !backup.database)
    throw new Error(`There is no database in ${from}: it was that of a DATABASE_URL. Set that, with the database restored.`)
  await refuseHalfRestored(dataDir)
  for (const name of [...SECRETS, VOIDS, FILES])
    if (await isThere(join(dataDir, name)))
      throw new Error(`There is a gateway in ${resolve(dataDir)}. Stop it, move the folder away (mv), and try again.`)
  await openDataDir(dataDir)
  const putServer = withDatabase ? await openRestore(join(from, SERVER), join(dataDir, SERVER), say) : null
  const whole = await beginRestoring(dataDir)
  // The database last: one without its secrets would be given new ones by the next start.
  for (const name of SECRETS) await copyOne(join(from, name), join(dataDir, name), HIDDEN)
  for (const name of [VOIDS, FILES]) await copyTree(join(from, name), join(dataDir, name), HIDDEN)
  await flush(dataDir)
  await putServer?.()
  await whole()
  if (!putServer) return { backup, report: null }
  // A start would do it too; the audit reads the books as this release keeps them.
  return { backup, report: await prove(join(dataDir, SERVER), (url) => migrate({ url, log: say })) }
}
