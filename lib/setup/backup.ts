import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { type AuditReport, buildAuditReport } from '../ledger/audit.ts'
import { backUpServer } from '../store/embedded/base-backup.ts'
import { copyOne, copyTree, flush } from '../store/embedded/copy-tree.ts'
import { type Embedded, startEmbedded } from '../store/embedded/embedded.ts'
import { pathExists } from '../store/embedded/path-exists.ts'
import { assertAccessible } from '../store/embedded/place.ts'
import { prepareRestore } from '../store/embedded/restore-server.ts'
import { hasErrorCode } from '../store/embedded/system-user.ts'
import { readAudit } from '../store/ledger/audit-store.ts'
import { migrate, pendingMigrations } from '../store/migrate.ts'
import { makeFolders } from './make-folders.ts'
import { markRestoring, refuseHalfRestored } from './restore-marker.ts'
import { openDataDir } from './secrets.ts'

const MARKER_FILE = 'backup.json'
const POSTGRES_DIR = 'postgres'
const UNDELIVERED_DIR = 'undelivered'
const CREDENTIALS_KEY_FILE = 'credentials-key'
const SECRET_FILES = ['secret-key', CREDENTIALS_KEY_FILE, 'first-start.txt']
const FILES_DIR = 'files'
/** Nobody else may read the backup, whatever the modes of the originals. */
const PRIVATE_MODE = { fileMode: 0o600 }

const markerSchema = z.object({ begunAt: z.iso.datetime(), database: z.boolean() })

/** What a backup says about itself: when it was begun, and whether it contains the database. */
export type BackupMarker = z.infer<typeof markerSchema>

type PrintLine = (line: string) => void

const readTextOrEmpty = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
/** Whether a path is that folder or lies inside it. */
const isInside = (folder: string, path: string): boolean => !relative(folder, path).startsWith('..')

/** How long a server may take to replay the log of a copy. */
const REPLAY_TIMEOUT_MS = 24 * 3_600_000

/** Starts a server on a copy, works with it, and stops the server. */
async function withCopy<Result>(dataDir: string, work: (pool: pg.Pool, url: string) => Promise<Result>): Promise<Result> {
  const server = await startEmbedded({ dataDir, port: 0, startTimeoutMs: REPLAY_TIMEOUT_MS })
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  pool.on('error', () => undefined)
  try {
    return await work(pool, server.url)
  } finally {
    await pool.end()
    await server.stop()
  }
}

/** The audit of a copy that stays as it is. Null if its tables are of a release so old that this one cannot read them. */
async function auditUnchanged(pool: pg.Pool): Promise<AuditReport | null> {
  try {
    return buildAuditReport(await readAudit(pool, null))
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || (await isUpToDate(pool))) throw error
    return null
  }
}

/** A database whose migrations are not those of this release is of another one. */
const isUpToDate = (pool: pg.Pool): Promise<boolean> =>
  pendingMigrations(pool).then(
    (pending) => pending.length === 0,
    () => false,
  )

async function auditMigrated(pool: pg.Pool, url: string, printLine: PrintLine): Promise<AuditReport> {
  await migrate({ url, log: printLine })
  return buildAuditReport(await readAudit(pool, null))
}

interface BackUpOptions {
  dataDir: string
  folder: string
  /** The running server; null if the database is not the embedded one. */
  embedded: Embedded | null
  /** Whether the root secret is among the settings, and not in the data folder. */
  hasExternalSecret: boolean
  printLine: PrintLine
  /** Stops the backup, with nothing left behind. */
  signal: AbortSignal
}

/**
 * Copies everything that a gateway stores on this machine, while the gateway runs: secrets, files and the database. A server is
 * then started on the copy of the database, and its ledger is audited. `folder` appears only when it is complete, and must not
 * exist before. Returns the audit, or null if the database is elsewhere or too old for it. If the audit does not balance, the copy
 * keeps its working name.
 */
export async function backUp({ folder, ...parts }: BackUpOptions): Promise<AuditReport | null> {
  const target = resolve(folder)
  if (await pathExists(target)) throw new Error(`${target} already exists. Name a folder that does not.`)
  if ([POSTGRES_DIR, UNDELIVERED_DIR, FILES_DIR].some((name) => isInside(resolve(parts.dataDir, name), target)))
    throw new Error(`${target} is inside what is backed up. Name another folder.`)
  if (!parts.hasExternalSecret && (await readTextOrEmpty(join(parts.dataDir, 'secret-key'))) === '')
    throw new Error(`${resolve(parts.dataDir)} has no secret-key, and SECRET_KEY is not set. A backup is worthless without it.`)
  const partial = await createPartialFolder(target)
  try {
    const report = await fillBackup(partial, parts)
    if (report?.balanced === false) return report
    await rename(partial, target)
    await flush(dirname(target))
    return report
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function createPartialFolder(target: string): Promise<string> {
  const partial = `${target}.partial`
  makeFolders(dirname(target))
  await mkdir(partial).catch((error: unknown) => {
    if (!hasErrorCode(error, 'EEXIST')) throw error
    throw new Error(
      `${partial} exists: another backup is in progress or was interrupted. If none is running, remove it and try again.`,
    )
  })
  await openDataDir(partial)
  return partial
}

async function fillBackup(
  partial: string,
  { dataDir, embedded, printLine, signal }: Omit<BackUpOptions, 'folder'>,
): Promise<AuditReport | null> {
  const marker: BackupMarker = { begunAt: new Date().toISOString(), database: embedded !== null }
  const keysBefore = await readTextOrEmpty(join(dataDir, CREDENTIALS_KEY_FILE))
  // A refund that the database does not have yet is in this copy. One that it records meanwhile is in the database.
  await copyTree(join(dataDir, UNDELIVERED_DIR), join(partial, UNDELIVERED_DIR), PRIVATE_MODE)
  if (embedded) {
    await assertAccessible(embedded.dataDir, partial)
    const bytes = await backUpServer({ url: embedded.url, home: embedded.dataDir, target: join(partial, POSTGRES_DIR), signal })
    printLine(`The database is copied (${Math.ceil(bytes / 1e6)} MB).`)
  }
  await copyTree(join(dataDir, UNDELIVERED_DIR), join(partial, UNDELIVERED_DIR), PRIVATE_MODE)
  for (const name of SECRET_FILES) await copyOne(join(dataDir, name), join(partial, name), PRIVATE_MODE)
  if ((await readTextOrEmpty(join(partial, CREDENTIALS_KEY_FILE))) !== keysBefore)
    throw new Error('Secrets were sealed with a new key in the meantime, so the copy might not open them. Try again.')
  // After the database, so that the files its rows name are there, unless they have expired since.
  const bytes = await copyTree(join(dataDir, FILES_DIR), join(partial, FILES_DIR), { ...PRIVATE_MODE, signal })
  printLine(`Secrets and files are copied (${Math.ceil(bytes / 1e6)} MB).`)
  const report = embedded
    ? await withCopy(join(partial, POSTGRES_DIR), (pool) => {
        signal.throwIfAborted()
        return auditUnchanged(pool)
      })
    : null
  if (embedded && !report)
    printLine('The copy starts. It is not audited: it is of a release too old for that. A restore migrates and audits it.')
  if (report?.balanced === false) return report
  await writeFile(join(partial, MARKER_FILE), `${JSON.stringify(marker, null, 2)}\n`, { mode: 0o600, flush: true })
  await flush(partial)
  return report
}

async function readMarker(folder: string): Promise<BackupMarker> {
  const text = await readTextOrEmpty(join(folder, MARKER_FILE))
  if (text === '')
    throw new Error(
      `${folder} is not a complete backup: it has no ${MARKER_FILE}. The name of an interrupted one ends with .partial.`,
    )
  return markerSchema.parse(JSON.parse(text))
}

interface RestoreOptions {
  folder: string
  dataDir: string
  /** False if the database is not the embedded one. */
  withDatabase: boolean
  printLine: PrintLine
}

/**
 * Puts a backup into the data folder, starts the database there, and audits it. Overwrites nothing: a data folder that contains
 * secrets, files or a database is refused. The backup stays unchanged.
 */
export async function restore(options: RestoreOptions): Promise<{ backup: BackupMarker; report: AuditReport | null }> {
  const { dataDir, withDatabase, printLine } = options
  const from = resolve(options.folder)
  const backup = await readMarker(from)
  if (withDatabase && !backup.database)
    throw new Error(`There is no database in ${from}: it was that of a DATABASE_URL. Set that, with the database restored.`)
  await refuseHalfRestored(dataDir)
  for (const name of [...SECRET_FILES, UNDELIVERED_DIR, FILES_DIR])
    if (await pathExists(join(dataDir, name)))
      throw new Error(`There is a gateway in ${resolve(dataDir)}. Stop it, move the folder away (mv), and try again.`)
  await openDataDir(dataDir)
  const restoreServer = withDatabase
    ? await prepareRestore(join(from, POSTGRES_DIR), join(dataDir, POSTGRES_DIR), printLine)
    : null
  const finishRestoring = await markRestoring(dataDir)
  // The database last: a database without its secrets would be given new ones by the next start.
  for (const name of SECRET_FILES) await copyOne(join(from, name), join(dataDir, name), PRIVATE_MODE)
  for (const name of [UNDELIVERED_DIR, FILES_DIR]) await copyTree(join(from, name), join(dataDir, name), PRIVATE_MODE)
  await flush(dataDir)
  await restoreServer?.()
  await finishRestoring()
  if (!restoreServer) return { backup, report: null }
  // A start would migrate it too, but the audit needs the tables of this release.
  return { backup, report: await withCopy(join(dataDir, POSTGRES_DIR), (pool, url) => auditMigrated(pool, url, printLine)) }
}
