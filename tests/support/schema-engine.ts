import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import type { DiagnoseMigrationHistoryOutput, MigrationList } from '@prisma/schema-engine-wasm'
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'

/** Prisma's own schema engine on one database. */
export interface SchemaEngine {
  /** The SQL that would change the database into what the schema describes. Empty if they match. */
  diff(): Promise<string>
  /** Applies what is missing, as `prisma migrate deploy` does. Returns the names. */
  apply(migrations: MigrationList): Promise<string[]>
  /** Compares the migrations with the record of them in the database. */
  diagnose(migrations: MigrationList): Promise<DiagnoseMigrationHistoryOutput>
  /** Disconnects from the database, and releases the lock that `apply` leaves behind. */
  close(): Promise<void>
}

const FILTERS = { externalTables: [], externalEnums: [] }
const CHAR_OID = 18
const TEXT_OID = 25

let instance: Promise<void> | undefined

/** Opens the engine with a schema.prisma on the database of this connection string, in about 80 ms. */
export async function openSchemaEngine(schema: string, url: string): Promise<SchemaEngine> {
  instance ??= instantiate()
  await instance
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => {})
  const adapter = bindMigrationAwareSqlAdapterFactory(withCharColumns(pool))
  const engine = await glue.SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => {}, adapter)
  return {
    async diff() {
      const files = [{ path: 'schema.prisma', content: schema }]
      const result = await engine.diff({
        from: { tag: 'schemaDatasource', files, configDir: '.' },
        to: { tag: 'schemaDatamodel', files },
        script: true,
        exitCode: true,
        filters: FILTERS,
      })
      return result.exitCode === 0 ? '' : (result.stdout ?? '')
    },
    async apply(migrationsList) {
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: FILTERS })
      return appliedMigrationNames
    },
    diagnose: (migrationsList) =>
      engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters: FILTERS }),
    async close() {
      engine.free()
      await pool.end()
    },
  }
}

/** The migrations in a directory, in the form that the engine takes. */
export async function listMigrations(dir: string): Promise<MigrationList> {
  const entries = await readdir(dir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return {
    baseDir: resolve(dir),
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (path) => ({
        path,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readFile(join(dir, path, 'migration.sql'), 'utf8') },
        },
      })),
    ),
  }
}

// The package's own entry point imports the .wasm as a module, which Node supports only behind a flag.
async function instantiate(): Promise<void> {
  // Before the engine stops, it reports a panic through this name.
  const registry = { set_message: (text: string) => process.stderr.write(`${text}\n`) }
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: registry })
  const file = fileURLToPath(import.meta.resolve('@prisma/schema-engine-wasm')).replace(/\.js$/, '_bg.wasm')
  const { instance: wasm } = await WebAssembly.instantiate(await readFile(file), { './schema_engine_bg.js': { ...glue } })
  glue.__wbg_set_wasm(wasm.exports)
  const { __wbindgen_start: begin } = wasm.exports
  if (typeof begin === 'function') begin()
}

// The engine queries PostgreSQL's catalog for columns of the type "char", which it accepts only as Character. Prisma's adapter
// refuses that type. This layer gives each of them what it expects.
function withCharColumns(pool: pg.Pool): SqlMigrationAwareDriverAdapterFactory {
  const charColumnsBySql = new Map<string, number[]>()
  const query = pool.query.bind(pool)
  Object.assign(pool, {
    async query(config: pg.QueryArrayConfig, values?: unknown[]) {
      const result = await query(config, values)
      const charColumns = result.fields.flatMap((field, index) => (field.dataTypeID === CHAR_OID ? [index] : []))
      for (const index of charColumns) Object.assign(result.fields[index] ?? {}, { dataTypeID: TEXT_OID })
      if (charColumns.length > 0) charColumnsBySql.set(config.text, charColumns)
      return result
    },
  })
  const factory = new PrismaPg(pool)
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connectToShadowDb: () => factory.connectToShadowDb(),
    async connect() {
      const adapter = await factory.connect()
      const queryRaw = adapter.queryRaw.bind(adapter)
      return Object.assign(adapter, {
        async queryRaw(sqlQuery: Parameters<typeof queryRaw>[0]) {
          const result = await queryRaw(sqlQuery)
          for (const index of charColumnsBySql.get(sqlQuery.sql) ?? []) result.columnTypes[index] = ColumnTypeEnum.Character
          return result
        },
      })
    },
  }
}
