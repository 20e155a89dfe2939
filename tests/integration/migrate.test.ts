import { createHash } from 'node:crypto'
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '#lib/store/migrate'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { listMigrations, openSchemaEngine } from '../support/schema-engine.ts'

const MIGRATIONS_DIR = 'prisma/migrations'

let database: TestDatabase
let dir: string
let lines: string[]

beforeEach(async () => {
  database = await createDatabase({ empty: true })
  dir = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'))
  lines = []
  await write('1_first', 'CREATE TABLE first (id int PRIMARY KEY);')
  await write('2_second', "CREATE TABLE second (id int);\nINSERT INTO second VALUES (1);\nSELECT 'a;b';")
})

afterEach(async () => {
  await rm(dir, { recursive: true, force: true })
  await database.drop()
})

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(dir, name), { recursive: true })
  await writeFile(join(dir, name, 'migration.sql'), sql)
}

function run(from = dir): Promise<string[]> {
  return migrate({ url: database.url, dir: from, log: (line) => lines.push(line) })
}

const checksumOf = (sql: string): string => createHash('sha256').update(sql).digest('hex')

async function tables(): Promise<string[]> {
  const sql = `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
  return (await database.pool.query<{ tablename: string }>(sql)).rows.map((row) => row.tablename)
}

async function count(table: string): Promise<number> {
  return (await database.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]?.n ?? 0
}

describe('applying', () => {
  test('is done once, in the order of the names, and recorded as Prisma records it', async () => {
    expect(await run()).toEqual(['1_first', '2_second'])
    expect(await run()).toEqual([])
    expect(await count('second')).toBe(1)
    const { rows } = await database.pool.query('SELECT * FROM _prisma_migrations ORDER BY migration_name')
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
        migration_name: '1_first',
        started_at: expect.any(Date),
        finished_at: expect.any(Date),
        rolled_back_at: null,
        logs: null,
        applied_steps_count: 1,
      },
      expect.objectContaining({ migration_name: '2_second' }),
    ])
  })

  test('continues with what is new', async () => {
    await run()
    await write('3_third', 'CREATE TABLE third (id int);')
    expect(await run()).toEqual(['3_third'])
    expect(lines.at(-1)).toMatch(/^applied the migration 3_third in \d+ ms$/)
  })

  test('happens once among processes that start together', async () => {
    const all = await Promise.all([run(), run(), run(), run()])
    expect(all.flat().sort()).toEqual(['1_first', '2_second'])
    expect(await count('second')).toBe(1)
    expect(await count('_prisma_migrations')).toBe(2)
  })

  test('does not mind a newer release that has been here', async () => {
    await run()
    await rm(join(dir, '2_second'), { recursive: true })
    expect(await run()).toEqual([])
    expect(lines.at(-1)).toMatch(/2_second, which this release does not know: .*restore the backup that was made before it$/)
  })
})

describe('waiting for a lock', () => {
  const holdLock = async (): Promise<() => Promise<void>> => {
    const reader = await database.pool.connect()
    await reader.query('BEGIN; SELECT * FROM first')
    return async () => {
      await reader.query('ROLLBACK')
      reader.release()
    }
  }

  test('says so, and lets everybody else use the table', async () => {
    await run()
    await write('3_third', 'ALTER TABLE first ADD COLUMN name text;')
    const release = await holdLock()
    const migrating = run()
    await expect.poll(() => lines.at(-1)).toMatch(/^the migration 3_third waits: .*such as a dump$/)
    const began = performance.now()
    await database.pool.query('INSERT INTO first VALUES (1)')
    expect(performance.now() - began).toBeLessThan(2000)
    await release()
    expect(await migrating).toEqual(['3_third'])
  })

  test('is done by one process at a time, however many start: the table would be waited for without a pause', async () => {
    await run()
    await write('3_third', 'ALTER TABLE first ADD COLUMN name text;')
    const release = await holdLock()
    const migrating = Promise.all([run(), run(), run(), run()])
    const waitingPids = new Set<number>()
    const sql = `SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'first'::regclass`
    for (const end = performance.now() + 6000; performance.now() < end; await sleep(50))
      for (const { pid } of (await database.pool.query<{ pid: number }>(sql)).rows) waitingPids.add(pid)
    await release()
    expect((await migrating).flat()).toEqual(['3_third'])
    expect(waitingPids.size).toBe(1)
  })

  test('ends with the start that it belongs to', async () => {
    await run()
    await write('3_third', 'ALTER TABLE first ADD COLUMN name text;')
    const release = await holdLock()
    const ending = new AbortController()
    const migrating = migrate({ url: database.url, dir, log: () => ending.abort(), signal: ending.signal })
    await expect(migrating).rejects.toThrow(/abort/)
    await release()
    expect(await run()).toEqual(['3_third'])
  })
})

describe('a migration that was changed after it was applied', () => {
  const changed = 'CREATE TABLE first (id int PRIMARY KEY, name text);'
  const earlier = 'CREATE TABLE first (id int PRIMARY KEY);'
  const writeCatchUp = (sql: string) => writeFile(join(dir, '1_first', `from-${checksumOf(earlier).slice(0, 16)}.sql`), sql)

  test('is caught up with, once, by the script for its earlier text', async () => {
    await run()
    await write('1_first', changed)
    await writeCatchUp('ALTER TABLE first ADD COLUMN name text;')
    await write('3_third', 'INSERT INTO first (id, name) VALUES (1, $$a$$);')
    expect((await Promise.all([run(), run()])).flat().sort()).toEqual(['1_first', '3_third'])
    expect(await run()).toEqual([])
    const { rows } = await database.pool.query('SELECT migration_name, checksum FROM _prisma_migrations ORDER BY 1')
    expect(rows[0]).toEqual({ migration_name: '1_first', checksum: checksumOf(changed) })
    expect(rows).toHaveLength(3)
  })

  test('is applied as it is by a new database', async () => {
    await write('1_first', changed)
    await writeCatchUp('SELECT missing;')
    expect(await run()).toEqual(['1_first', '2_second'])
  })

  test('stays as it was if that script fails', async () => {
    await run()
    await write('1_first', changed)
    await writeCatchUp('ALTER TABLE first ADD COLUMN name text; SELECT missing;')
    await expect(run()).rejects.toThrow(/1_first failed and was rolled back: .*from-[0-9a-f]{16}\.sql:1/)
    await writeCatchUp('ALTER TABLE first ADD COLUMN name text;')
    expect(await run()).toEqual(['1_first'])
  })

  test('may make the record of another migration superfluous', async () => {
    await run()
    await rm(join(dir, '2_second'), { recursive: true })
    await write('1_first', changed)
    await writeCatchUp("DELETE FROM _prisma_migrations WHERE migration_name = '2_second';")
    await run()
    expect(lines.filter((line) => line.includes('does not know'))).toEqual([])
  })
})

describe('refusing', () => {
  test('a migration that was changed after it was applied, by name', async () => {
    await run()
    await appendFile(join(dir, '1_first', 'migration.sql'), '\n-- a change')
    await write('3_third', 'CREATE TABLE third (id int);')
    await expect(run()).rejects.toThrow(/1_first has been changed since it was applied/)
    expect(await tables()).not.toContain('third')
  })

  test('but not one whose lines end differently', async () => {
    await run()
    const file = join(dir, '2_second', 'migration.sql')
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'))
    expect(await run()).toEqual([])
  })

  test('a migration that fails leaves nothing of itself, and is tried again', async () => {
    await write('3_third', 'CREATE TABLE third (id int);\n\nSELECT missing;\n')
    const failure = /3_third failed and was rolled back: column "missing" does not exist.*migration\.sql:3/
    await expect(run()).rejects.toThrow(failure)
    expect(await tables()).toEqual(['_prisma_migrations', 'first', 'second'])
    expect(await count('_prisma_migrations')).toBe(2)
    await write('3_third', 'CREATE TABLE third (id int);')
    expect(await run()).toEqual(['3_third'])
  })

  test('a migration that another tool began and did not finish', async () => {
    await run()
    await database.pool.query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '2_second'`)
    await expect(run()).rejects.toThrow(/2_second was begun.*prisma migrate resolve --rolled-back 2_second/)
    await database.pool.query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '2_second'`)
    await database.pool.query('DROP TABLE second')
    expect(await run()).toEqual(['2_second'])
  })
})

describe("Prisma's own engine", () => {
  test('finds nothing to do and nothing wrong after us', async () => {
    await run(MIGRATIONS_DIR)
    const engine = await openSchemaEngine(await readFile('prisma/schema.prisma', 'utf8'), database.url)
    try {
      const migrations = await listMigrations(MIGRATIONS_DIR)
      expect(await engine.diagnose(migrations)).toEqual({
        editedMigrationNames: [],
        failedMigrationNames: [],
        hasMigrationsTable: true,
        history: null,
      })
      expect(await engine.apply(migrations)).toEqual([])
    } finally {
      await engine.close()
    }
  })

  test('makes the same table, and we find nothing to do after it', async () => {
    const simple = join(dir, 'simple')
    await cp(join(dir, '1_first'), join(simple, '1_first'), { recursive: true })
    const engine = await openSchemaEngine(await readFile('prisma/schema.prisma', 'utf8'), database.url)
    try {
      expect(await engine.apply(await listMigrations(simple))).toEqual(['1_first'])
    } finally {
      await engine.close()
    }
    const prismaColumns = await shape(database)
    expect(await run(simple)).toEqual([])
    const own = await createDatabase({ empty: true })
    try {
      await migrate({ url: own.url, dir: simple })
      expect(await shape(own)).toEqual(prismaColumns)
    } finally {
      await own.drop()
    }
  })
})

async function shape({ pool }: TestDatabase): Promise<unknown[]> {
  const { rows } = await pool.query(
    `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
       FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`,
  )
  return rows
}
