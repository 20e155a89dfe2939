import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

/** What to migrate, and where the migrations are. */
export interface MigrateOptions {
  /** The connection string of the database. Its user must own the tables. */
  url: string
  /** The directory with one folder per migration. They are applied in the order of the folder names. */
  dir?: string
  /** Takes one line of text for each migration that was applied. */
  log?: (line: string) => void
}

interface Migration {
  name: string
  file: string
  sql: string
  checksum: string
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

const MIGRATIONS_DIR = 'prisma/migrations'
const DOWNGRADE_ADVICE = 'Continue with that release, or restore the backup that was made before it'

/**
 * Brings the database to the state that `dir` describes, and returns the names of the migrations it applied: none, after one
 * query, if there is nothing to do. Each migration is applied and recorded in a transaction of its own (a script must not end
 * it), so one that fails leaves nothing behind and is retried at the next start. Any number of processes may call this at once.
 * Throws an error for people to read if a script fails, or if an applied script has been changed since.
 */
export async function migrate({ url, dir = MIGRATIONS_DIR, log = () => {} }: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(dir)
  const client = new pg.Client({ connectionString: url, application_name: 'tollgate migrate' })
  // A broken connection also fails the query in progress. Without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    const rows = await readRows(client)
    for (const name of new Set(rows.map((row) => row.migration_name))) {
      if (!migrations.some((migration) => migration.name === name)) {
        log(
          `the database has the migration ${name}, which this release does not know: a newer release has used it. ${DOWNGRADE_ADVICE}`,
        )
      }
    }
    const applied: string[] = []
    for (const migration of migrations) {
      if (isApplied(migration, rows)) continue
      const tookMs = await apply(client, migration)
      if (tookMs === undefined) continue
      applied.push(migration.name)
      log(`applied the migration ${migration.name} in ${Math.round(tookMs)} ms`)
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
      return { name, file, sql, checksum: checksumOf(sql) }
    }),
  )
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
  throw new Error(
    `The migration ${migration.name} has been changed since it was applied to this database. Restore ${migration.file} ` +
      'and put the change into a new migration.',
  )
}

/** Applies one migration. Returns undefined if another process did so while this one waited for the lock. */
async function apply(client: pg.Client, migration: Migration): Promise<number | undefined> {
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    const began = performance.now()
    await client.query(TABLE)
    if (isApplied(migration, await readRows(client))) {
      await client.query('ROLLBACK')
      return undefined
    }
    await run(client, migration)
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    )
    await client.query('COMMIT')
    return performance.now() - began
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

async function run(client: pg.Client, { name, file, sql }: Migration): Promise<void> {
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
