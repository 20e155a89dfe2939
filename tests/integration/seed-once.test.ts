import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Env, readEnv } from '#lib/env'
import { deriveSecrets } from '#lib/setup/secrets'
import { seed } from '#lib/setup/seed'
import { withSeedLock } from '#lib/store/seed-store'
import { type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { TEST_SECRET_KEY } from '../support/fixtures.ts'

const API_KEY = 'sk-vendor-secret-0123456789'
let vendor: FakeVendor

beforeAll(async () => {
  vendor = await startFakeVendor()
  vendor.answer((call) => sendJson(call, { object: 'list', data: [{ id: 'gpt-4o', object: 'model' }] }))
})

afterAll(() => vendor[Symbol.asyncDispose]())

async function runSeed(
  database: TestDatabase,
  rawEnv: Record<string, string>,
  saveFirstStart: () => Promise<void> = async () => {},
) {
  const lines: string[] = []
  const env: Env = readEnv(rawEnv)
  const printLine = (line: string) => void lines.push(line)
  const pool = new pg.Pool({ connectionString: database.url, max: 3 })
  try {
    const first = await withSeedLock(pool, () =>
      seed(pool, env, { secrets: deriveSecrets(TEST_SECRET_KEY), printLine, saveFirstStart }),
    )
    return { first, lines }
  } finally {
    await pool.end()
  }
}

const connectionsOf = async ({ pool }: TestDatabase): Promise<string[]> =>
  (await pool.query<{ line: string }>(`SELECT concat_ws(' ', id, name, kind) AS line FROM connection ORDER BY id`)).rows.map(
    ({ line }) => line,
  )

const nameTakenMessage = (label: string, other: string) =>
  `${label} is not connected: ${other} is another connection, and two connections cannot have the same name.`

test('connections that an operator has made under the names of vendors are left alone, and that is said at each start', async () => {
  await using database = await createDatabase()
  await database.pool.query(
    `INSERT INTO connection (id, name, kind) VALUES ('con_1', 'groq', 'openai-compatible'), ('con_2', 'openai', 'azure'), ('con_3', 'local', 'groq')`,
  )
  const env = {
    GROQ_API_KEY: API_KEY,
    OPENAI_API_KEY: API_KEY,
    OPENAI_BASE_URL: vendor.url,
    OPENAI_COMPATIBLE_BASE_URL: vendor.url,
  }
  const first = await runSeed(database, env)
  expect(first.first).not.toBeNull()
  expect(first.lines).toEqual([
    nameTakenMessage('OpenAI', '"openai" (con_2, azure)'),
    nameTakenMessage('Groq', '"groq" (con_1, openai-compatible)'),
    nameTakenMessage('The server of OPENAI_COMPATIBLE_BASE_URL (OPENAI_COMPATIBLE_NAME local)', '"local" (con_3, groq)'),
  ])
  expect((await runSeed(database, env)).lines).toEqual(first.lines)
  expect(await connectionsOf(database)).toEqual([
    'con_1 groq openai-compatible',
    'con_2 openai azure',
    'con_3 local groq',
    'con_sandbox sandbox sandbox',
  ])
})

test('a name that the gateway has for itself is told, not passed over; a vendor that was renamed is still the same', async () => {
  await using database = await createDatabase()
  const env = { OPENAI_COMPATIBLE_BASE_URL: vendor.url }
  const { lines } = await runSeed(database, { ...env, OPENAI_COMPATIBLE_NAME: 'sandbox' })
  const label = 'The server of OPENAI_COMPATIBLE_BASE_URL (OPENAI_COMPATIBLE_NAME sandbox)'
  expect(lines).toEqual([nameTakenMessage(label, '"sandbox" (con_sandbox, sandbox)')])
  expect((await runSeed(database, env)).lines).toEqual(['local is connected with 1 models.'])
  await database.pool.query(`UPDATE connection SET name = 'renamed' WHERE id = 'con_local'`)
  expect((await runSeed(database, env)).lines).toEqual([])
})

test('of processes that seed an empty database at once each one succeeds, and one of them makes the operator', async () => {
  await using database = await createDatabase()
  const env = { OPENAI_API_KEY: API_KEY, OPENAI_BASE_URL: vendor.url }
  const all = await Promise.all(Array.from({ length: 6 }, () => runSeed(database, env)))
  expect(all.filter(({ first }) => first !== null).length).toBe(1)
  expect(all.flatMap(({ lines }) => lines)).toEqual(['OpenAI is connected with 1 models.'])
  const { rows } = await database.pool.query(
    `SELECT (SELECT count(*)::int FROM app_user) AS users, (SELECT count(*)::int FROM api_key) AS keys,
            (SELECT count(*)::int FROM model_group) AS groups`,
  )
  expect(rows).toEqual([{ users: 1, keys: 1, groups: 1 }])
})

test('the first sign-in and key are kept before the database has them: where they cannot be, nobody has been made', async () => {
  await using database = await createDatabase()
  const users = async () => (await database.pool.query('SELECT 1 FROM app_user')).rowCount
  const failWithFullDisk = () => Promise.reject(new Error('the disk is full'))
  await expect(runSeed(database, {}, failWithFullDisk)).rejects.toThrow('the disk is full')
  expect(await users()).toBe(0)
  let seenBefore: number | null = null
  const recordUserCount = async () => {
    seenBefore = await users()
  }
  expect((await runSeed(database, {}, recordUserCount)).first?.apiKey).toMatch(/^sk-tg-/)
  expect([seenBefore, await users()]).toEqual([0, 1])
})
