import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { prepareSession } from './open-pool.ts'

/** What to migrate, and where the migrations are. */
export interface MigrateOptions {
  /** The connection string of the database. Its user must own the tables. */
  url: string
  /** The directory with one folder per migration. They are applied in the order of the folder names. */
  dir?: string
  /** Takes one line of text for each migration that was applied. */
  log?: (line: string) => void
  /** Ends the wait for a lock. */
  signal?: AbortSignal | undefined
}

interface Migration {
  name: string
  file: string
  sql: string
  checksum: string
  /** For databases that applied an earlier text of it. */
  catchUps: CatchUp[]
}

/** The changes from an earlier text of a migration to the one of today. */
interface CatchUp {
  /** The beginning of the checksum of the earlier text. */
  from: string
  file: string
  sql: string
}

interface Row {
  migration_name: string
  checksum: string
  finished_at: Date | null
}

// The table and the lock number are those of Prisma's schema engine, so a start of this program and `prisma migrate deploy`
// wait for each other and see each other's work.
const LOCK = 72_707_369
const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

/** Behind a migration that waits for a lock on a table, everybody who uses that table waits: gateways that still run, too. */
const LOCK_TIMEOUT_MS = 1000
/** For how long the others can then go on. */
const LOCK_PAUSE_MS = 3000
/** After how many attempts the log says again what is waited for: every minute. */
const ATTEMPTS_PER_LINE = 15
const LOCK_NOT_AVAILABLE = '55P03'

const MIGRATIONS_DIR = 'prisma/migrations'
/** Beside a `migration.sql` that was changed after gateways had applied it: what those need to have the same tables as all others. */
const CATCH_UP_FILE = /^from-([0-9a-f]{16})\.sql$/
const DOWNGRADE_ADVICE = 'Continue with that release, or restore the backup that was made before it'

/**
 * Brings the database to the state that `dir` describes, and returns the names of the migrations it applied: none, after one
 * query, if there is nothing to do. Each migration is applied and recorded in a transaction of its own (a script must not end
 * it), so one that fails leaves nothing behind and is retried at the next start. Any number of processes may call this at once.
 * A database that has an earlier text of a migration is brought to the one of today, if there is a script for that. Throws an error
 * for people to read if a script fails, or if an applied script has been changed since.
 */
export async function migrate({ url, dir = MIGRATIONS_DIR, log = () => {}, signal }: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(dir)
  const client = new pg.Client({ connectionString: url, application_name: 'tollgate migrate' })
  // A broken connection also fails the query in progress. Without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    await prepareSession(client)
    const rows = await readRows(client)
    const applied: string[] = []
    let isCurrent = true
    for (const migration of migrations) {
      if (isApplied(migration, rows)) continue
      isCurrent = false
      const tookMs = await applyWhenFree(client, migration, { log, signal })
      if (tookMs === undefined) continue
      applied.push(migration.name)
      log(`applied the migration ${migration.name} in ${Math.round(tookMs)} ms`)
    }
    // Looked at last: what brings a migration to its text of today can make the record of another one superfluous.
    for (const name of new Set((isCurrent ? rows : await readRows(client)).map((row) => row.migration_name))) {
      if (!migrations.some((migration) => migration.name === name)) {
        log(
          `the database has the migration ${name}, which this release does not know: a newer release has used it. ${DOWNGRADE_ADVICE}`,
        )
      }
    }
    return applied
  } finally {
    await client.end()
  }
}

/** Whether a gateway has ever migrated this database. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ is: boolean }>(`select to_regclass('_prisma_migrations') is not null as is`)
  return rows[0]?.is === true
}

/** The migrations of this release that the database lacks, in order. Empty if it is up to date with this release or newer. */
export async function pendingMigrations(pool: pg.Pool): Promise<string[]> {
  const rows = await readRows(pool)
  return (await readMigrations(MIGRATIONS_DIR)).filter((migration) => !isApplied(migration, rows)).map(({ name }) => name)
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const file = join(dir, name, 'migration.sql')
      const sql = await readFile(file, 'utf8')
      return { name, file, sql, checksum: checksumOf(sql), catchUps: await readCatchUps(join(dir, name)) }
    }),
  )
}

async function readCatchUps(folder: string): Promise<CatchUp[]> {
  const found = (await readdir(folder)).flatMap((name) => {
    const from = CATCH_UP_FILE.exec(name)?.[1]
    return from === undefined ? [] : [{ from, file: join(folder, name) }]
  })
  return Promise.all(found.map(async ({ from, file }) => ({ from, file, sql: await readFile(file, 'utf8') })))
}

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex')
}

async function readRows(client: pg.Client | pg.Pool): Promise<Row[]> {
  try {
    const { rows } = await client.query<Row>(
      'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
    )
    return rows
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '42P01') return []
    throw error
  }
}

function isApplied(migration: Migration, rows: Row[]): boolean {
  const own = rows.filter((row) => row.migration_name === migration.name)
  if (own.length === 0) return false
  if (own.some((row) => row.finished_at === null)) {
    throw new Error(
      `The migration ${migration.name} was begun by another tool and did not finish. Look at what it left in the ` +
        `database, mend that, and tell it with: prisma migrate resolve --rolled-back ${migration.name}`,
    )
  }
  // A checkout on Windows may have changed the line endings, in either place.
  const unix = migration.sql.replaceAll('\r\n', '\n')
  const acceptedChecksums = [migration.checksum, checksumOf(unix), checksumOf(unix.replaceAll('\n', '\r\n'))]
  if (own.every((row) => acceptedChecksums.includes(row.checksum))) return true
  if (findCatchUp(migration, rows)) return false
  throw new Error(
    `The migration ${migration.name} has been changed since it was applied to this database. If you changed it, restore ` +
      `${migration.file} and put the change into a new migration. If not, this database is of an early release that ` +
      'cannot be upgraded to this one: continue with that release.',
  )
}

function findCatchUp({ name, catchUps }: Migration, rows: Row[]): CatchUp | undefined {
  const own = rows.filter((row) => row.migration_name === name)
  return catchUps.find(({ from }) => own.length > 0 && own.every((row) => row.checksum.startsWith(from)))
}

/**
 * Applies one migration as soon as nobody holds a lock that it needs. The lock of those that migrate is kept during the pauses:
 * other starts would otherwise wait for the table meanwhile, in turn, and nobody could use it.
 */
async function applyWhenFree(
  client: pg.Client,
  migration: Migration,
  { log, signal }: { log: (line: string) => void; signal: AbortSignal | undefined },
): Promise<number | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await client.query('SELECT pg_advisory_lock($1)', [LOCK])
      const tookMs = await apply(client, migration)
      await client.query('SELECT pg_advisory_unlock_all()')
      return tookMs
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as { code?: unknown }
      if (code !== LOCK_NOT_AVAILABLE) throw error
      if (attempt % ATTEMPTS_PER_LINE === 0)
        log(
          `the migration ${migration.name} waits: another process is migrating, or has a transaction open for long, such as a dump`,
        )
      await sleep(LOCK_PAUSE_MS, undefined, { signal })
    }
  }
}

/**
 * Applies one migration, or what it has gained since an earlier text of it was applied. Returns undefined if another process did
 * so while this one waited for the lock.
 */
async function apply(client: pg.Client, migration: Migration): Promise<number | undefined> {
  await client.query('BEGIN')
  try {
    const began = performance.now()
    await client.query(TABLE)
    const rows = await readRows(client)
    if (isApplied(migration, rows)) {
      await client.query('ROLLBACK')
      return undefined
    }
    const catchUp = findCatchUp(migration, rows)
    await run(client, { ...migration, ...catchUp })
    await (catchUp ? recordCatchUp(client, migration) : record(client, migration))
    await client.query('COMMIT')
    return performance.now() - began
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

async function record(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  )
}

async function recordCatchUp(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  const sql = 'UPDATE _prisma_migrations SET checksum = $1 WHERE migration_name = $2 AND rolled_back_at IS NULL'
  await client.query(sql, [checksum, name])
}

async function run(client: pg.Client, { name, file, sql }: Pick<Migration, 'name' | 'file' | 'sql'>): Promise<void> {
  try {
    await client.query(sql)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    const line = error.position ? `:${sql.slice(0, Number(error.position)).split('\n').length}` : ''
    const more = [error.detail, error.hint, error.where].filter(Boolean).join('; ')
    throw new Error(
      `The migration ${name} failed and was rolled back: ${error.message}${more && ` (${more})`}, in ${file}${line}`,
      { cause: error },
    )
  }
}
