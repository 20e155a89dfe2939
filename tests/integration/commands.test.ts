// What all operator commands have in common: how they are called, and that none of them starts a gateway.
import { readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandResult, runCommand } from '../support/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

/** Arguments that each command accepts. */
const VALID_ARGS: Record<string, string[]> = {
  audit: [],
  backup: ['copy'],
  build: [],
  catalog: ['export'],
  codes: ['mint', '5', '1'],
  grant: ['ada@example.com', '5', 'Welcome'],
  payments: [],
  reconcile: ['--connection', 'main', '--file', 'package.json', '--columns', 'day=name,cost=version'],
  'reset-two-step': ['ada@example.com'],
  restore: ['copy'],
  'rotate-key': [],
}
const COMMANDS = Object.keys(VALID_ARGS)
const DATABASE_COMMANDS = COMMANDS.filter((name) => !['build', 'restore', 'reconcile'].includes(name))

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tollgate-commands-'))
})
afterAll(() => rm(dir, { recursive: true }))

/** Runs a command where nothing is set up yet. */
const run = (command: string, args: string[], env: Record<string, string> = {}): Promise<CommandResult> =>
  runCommand(command, args, { DATA_DIR: join(dir, 'data'), DATABASE_URL: '', SECRET_KEY: '', ...env })

/** The modules in lib/cli: the commands and what they share. */
const moduleNames = readdirSync('lib/cli').flatMap((name) => /^([a-z-]+)\.ts$/.exec(name)?.[1] ?? [])

it('each of them is here', () => {
  expect(moduleNames.filter((name) => !['columns', 'command', 'database', 'find-recent-duplicate'].includes(name))).toEqual(
    COMMANDS,
  )
})

describe.each(COMMANDS)('npm run %s', (command) => {
  it('says how it is asked, and does nothing', async () => {
    const { code, out, errors } = await run(command, ['--help'])
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(out).toMatch(new RegExp(`^Usage: npm run (--silent )?${command}`))
    expect(await readdir(dir)).toEqual([])
  })

  it('does nothing where it is asked what it does not know', async () => {
    const { code, out, errors } = await run(command, ['--dry-run', ...(command === 'grant' ? [] : (VALID_ARGS[command] ?? []))])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(errors).toMatch(/^Usage: npm run|^Unknown option '--dry-run'/)
    expect(await readdir(dir)).toEqual([])
  })
})

describe.each(DATABASE_COMMANDS)('npm run %s', (command) => {
  it('names the setting whose database it does not reach', async () => {
    const result = await run(command, VALID_ARGS[command] ?? [], { DATABASE_URL: 'postgres://localhost:1/none' })
    expect(result).toMatchObject({ code: 1, out: '' })
    expect(result.errors).toMatch(/^DATABASE_URL: the database cannot be used: .*ECONNREFUSED/)
  })

  it('makes no gateway where there is none', async () => {
    const result = await run(command, VALID_ARGS[command] ?? [])
    expect(result).toMatchObject({
      code: 1,
      out: '',
      errors: expect.stringMatching(/^DATA_DIR: there is no gateway in .*data\./),
    })
    expect(await readdir(dir)).toEqual([])
  })
})

describe('on a database of another', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())

  it.each(['codes', 'catalog', 'rotate-key'])('npm run %s makes no secrets that its gateway does not have', async (command) => {
    const result = await run(command, VALID_ARGS[command] ?? [], { DATABASE_URL: database.url })
    expect(result).toMatchObject({ code: 1, out: '' })
    expect(result.errors).toMatch(/secret-key is not there, and SECRET_KEY is not set/)
    expect(await readdir(dir)).toEqual([])
  })

  it.each(['codes', 'catalog', 'rotate-key'])(
    'npm run %s makes no secrets with a SECRET_KEY of another gateway',
    async (command) => {
      await database.pool.query('insert into secret_mark (mark) values ($1) on conflict do nothing', [Buffer.alloc(32)])
      const env = { DATABASE_URL: database.url, SECRET_KEY: '1'.repeat(64) }
      const result = await run(command, VALID_ARGS[command] ?? [], env)
      expect(result).toMatchObject({ code: 1, out: '' })
      expect(result.errors).toMatch(/^SECRET_KEY: the API keys and codes in this database were made with another one/)
    },
  )

  it('says so where it is of an older release, and changes nothing', async () => {
    const name = readdirSync('prisma/migrations').toSorted().at(-2) ?? ''
    await database.pool.query('update _prisma_migrations set rolled_back_at = now() where migration_name = $1', [name])
    try {
      for (const command of DATABASE_COMMANDS.filter((each) => each !== 'backup')) {
        const result = await run(command, VALID_ARGS[command] ?? [], { DATABASE_URL: database.url })
        expect(result).toMatchObject({ code: 1, out: '' })
        expect(result.errors).toBe(
          `This database is of an older release: it lacks the migration ${name}. Start this release once: npm start\n`,
        )
      }
    } finally {
      await database.pool.query('update _prisma_migrations set rolled_back_at = null')
    }
  })

  it('says so where no gateway has been there', async () => {
    await database.pool.query('create database without_a_gateway')
    const url = new URL(database.url)
    url.pathname = '/without_a_gateway'
    try {
      const result = await run('audit', [], { DATABASE_URL: url.href })
      expect(result).toEqual({ code: 1, out: '', errors: 'There is no gateway in this database yet. Create one: npm start\n' })
    } finally {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await client.query('drop database without_a_gateway')
      await client.end()
    }
  })
})
