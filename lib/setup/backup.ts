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
/** Nobody else may read the backup, whatever the modes of the originals. */
const HIDDEN = { fileMode: 0o600 }

const mark = z.object({ begunAt: z.iso.datetime(), database: z.boolean() })

/** What a backup says about itself: when it was begun, and whether it contains the database. */
export type Backup = z.infer<typeof mark>

type Say = (line: string) => void

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
/** Whether a path is that folder or lies inside it. */
const isWithin = (folder: string, path: string): boolean => !relative(folder, path).startsWith('..')

/** How long a server may take to replay the log of a copy. */
const REPLAY_MS = 24 * 3_600_000

/** Starts a server on a copy, audits its ledger, and stops the server. */
async function prove(dataDir: string, prepare: (url: string) => Promise<unknown>): Promise<AuditReport> {
  const server = await startEmbedded({ dataDir, port: 0, startTimeoutMs: REPLAY_MS })
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  pool.on('error', () => undefined)
  try {
    await prepare(server.url)
    return buildAuditReport(await readAudit(pool, null))
  } finally {
    await pool.end()
    await server.stop()
  }
}

interface BackUp {
  dataDir: string
  folder: string
  /** The running server; null if the database is not the embedded one. */
  embedded: Embedded | null
  /** Whether the root secret is among the settings, and not in the data folder. */
  secretElsewhere: boolean
  say: Say
  /** Stops the backup, with nothing left behind. */
  signal: AbortSignal
}

/**
 * Copies everything that a gateway stores on this machine, while the gateway runs: secrets, files and the database. A server is
 * then started on the copy of the database, and its ledger is audited. `folder` appears only when it is complete, and must not
 * exist before. Returns the audit, or null if the database is elsewhere. If the audit does not balance, the copy keeps its
 * working name.
 */
export async function backUp({ folder, ...parts }: BackUp): Promise<AuditReport | null> {
  const target = resolve(folder)
  if (await pathExists(target)) throw new Error(`${target} already exists. Name a folder that does not.`)
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
    if (!hasErrorCode(error, 'EEXIST')) throw error
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
  // A refund that the database does not have yet is in this copy. One that it records meanwhile is in the database.
  await copyTree(join(dataDir, VOIDS), join(partial, VOIDS), HIDDEN)
  if (embedded) {
    await assertAccessible(embedded.dataDir, partial)
    const bytes = await backUpServer({ url: embedded.url, home: embedded.dataDir, target: join(partial, SERVER), signal })
    say(`The database is copied (${Math.ceil(bytes / 1e6)} MB).`)
  }
  await copyTree(join(dataDir, VOIDS), join(partial, VOIDS), HIDDEN)
  for (const name of SECRETS) await copyOne(join(dataDir, name), join(partial, name), HIDDEN)
  if ((await textOf(join(partial, SEALS))) !== sealed)
    throw new Error('Secrets were sealed with a new key in the meantime, so the copy might not open them. Try again.')
  // After the database, so that the files its rows name are there, unless they have expired since.
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
  /** False if the database is not the embedded one. */
  withDatabase: boolean
  say: Say
}

/**
 * Puts a backup into the data folder, starts the database there, and audits it. Overwrites nothing: a data folder that contains
 * secrets, files or a database is refused. The backup stays unchanged.
 */
export async function restore(options: Restore): Promise<{ backup: Backup; report: AuditReport | null }> {
  const { dataDir, withDatabase, say } = options
  const from = resolve(options.folder)
  const backup = await readMark(from)
  if (withDatabase && !backup.database)
    throw new Error(`There is no database in ${from}: it was that of a DATABASE_URL. Set that, with the database restored.`)
  await refuseHalfRestored(dataDir)
  for (const name of [...SECRETS, VOIDS, FILES])
    if (await pathExists(join(dataDir, name)))
      throw new Error(`There is a gateway in ${resolve(dataDir)}. Stop it, move the folder away (mv), and try again.`)
  await openDataDir(dataDir)
  const putServer = withDatabase ? await prepareRestore(join(from, SERVER), join(dataDir, SERVER), say) : null
  const whole = await beginRestoring(dataDir)
  // The database last: a database without its secrets would be given new ones by the next start.
  for (const name of SECRETS) await copyOne(join(from, name), join(dataDir, name), HIDDEN)
  for (const name of [VOIDS, FILES]) await copyTree(join(from, name), join(dataDir, name), HIDDEN)
  await flush(dataDir)
  await putServer?.()
  await whole()
  if (!putServer) return { backup, report: null }
  // A start would migrate it too, but the audit needs the tables of this release.
  return { backup, report: await prove(join(dataDir, SERVER), (url) => migrate({ url, log: say })) }
}
