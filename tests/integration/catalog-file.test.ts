import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import type { CatalogFile } from '#lib/contracts/catalog-file'
import { secretsOf } from '#lib/setup/secrets'
import { type Keyring, unseal } from '#lib/store/seal'
import { type CommandResult, runCommand } from '../support/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const KEY = 'ab'.repeat(32)
const SECRET = 'sk-in-the-environment'
let database: TestDatabase
let dir: string
beforeAll(async () => {
  database = await createDatabase()
  dir = await mkdtemp(join(tmpdir(), 'tollgate-catalog-'))
})
afterAll(async () => {
  await database.drop()
  await rm(dir, { recursive: true })
})

const run = (command: string, args: string[], env: Record<string, string> = {}): Promise<CommandResult> =>
  runCommand(command, args, { DATABASE_URL: database.url, SECRET_KEY: KEY, DATA_DIR: dir, ...env })

const FILE = {
  connections: {
    main: { kind: 'openai', baseUrl: 'https://api.openai.com/v1', credentials: { apiKey: { env: 'MAIN_KEY' } }, concurrency: 20 },
  },
  models: {
    'main/gpt-4o': {
      ownedBy: 'openai',
      modality: 'chat',
      contextWindow: 128_000,
      maxOutput: 16_384,
      capabilities: ['tools'],
      price: { input: '2.5', output: '10' },
      vendorPrice: { input: '2', output: '8' },
      deployments: [{ connection: 'main', model: 'gpt-4o', weight: 3, requestsPerMinute: 500, tokensPerMinute: 200_000 }],
    },
  },
  groups: {
    team: { description: 'Ours', multiplierBp: 12_000, models: ['main/gpt-4o'] },
    all: { default: true, models: ['main/gpt-4o'] },
  },
}

async function writeCatalog(name: string, file: object): Promise<string> {
  const path = join(dir, name)
  await writeFile(path, stringify(file))
  return path
}

it('a file is applied, applied again to no effect, and exported as a file that says the same, without secrets', async () => {
  const path = await writeCatalog('catalog.yaml', FILE)
  const missing = await run('catalog', ['apply', path])
  expect(missing).toMatchObject({ code: 1, errors: expect.stringContaining('The variable MAIN_KEY is not set.') })

  const first = await run('catalog', ['diff', path], { MAIN_KEY: SECRET })
  expect(first.code, first.errors).toBe(2)
  expect(first.out).toContain('+ connection main')
  const applied = await run('catalog', ['apply', path], { MAIN_KEY: SECRET })
  expect(applied, applied.errors).toEqual({ code: 0, errors: '', out: first.out })
  expect((await run('catalog', ['diff', path], { MAIN_KEY: SECRET })).out).toBe('The catalog matches the file.\n')
  const counts = async () =>
    (await database.pool.query(`select (select count(*) from price) || '/' || (select count(*) from audit_log) as n`)).rows[0].n
  const before = await counts()
  expect((await run('catalog', ['apply', path], { MAIN_KEY: SECRET })).code).toBe(0)
  expect(await counts()).toBe(before)

  const exported = await run('catalog', ['export'])
  expect(exported.code, exported.errors).toBe(0)
  expect(exported.out).not.toContain('sk-')
  const file = parse(exported.out) as CatalogFile
  expect(file.models['main/gpt-4o']).toMatchObject({ price: { input: '2.5' }, vendorPrice: { input: '2', output: '8' } })
  expect(file.models['main/gpt-4o']?.deployments).toMatchObject([{ requestsPerMinute: 500, tokensPerMinute: 200_000 }])
  expect(file.connections.main).not.toHaveProperty('credentials')
  expect((await run('catalog', ['diff', await writeCatalog('exported.yaml', file)])).code).toBe(0)
})

it.each(['models: [\n  - a: b: c', 'models: *none'])('a file that is no YAML is named with what is wrong: %j', async (text) => {
  const path = join(dir, 'damaged.yaml')
  await writeFile(path, text)
  const { code, out, errors } = await run('catalog', ['apply', path])
  expect({ code, out, named: errors.startsWith(`${path}: `) }).toEqual({ code: 1, out: '', named: true })
})

it('a file from before deployments had limits of a minute means none of them', async () => {
  const model = FILE.models['main/gpt-4o']
  const oldFile = await writeCatalog('old.yaml', {
    models: { 'main/gpt-4o': { ...model, deployments: [{ connection: 'main', model: 'gpt-4o', weight: 3 }] } },
  })
  const diffResult = await run('catalog', ['diff', oldFile])
  expect(diffResult, diffResult.errors).toMatchObject({
    ...{ code: 2, out: expect.stringContaining('~ deployment main/gpt-4o on main (gpt-4o): requestsPerMinute, tokensPerMinute') },
  })
})

it('a changed price is a version more, and what a model does not run on any more is archived', async () => {
  const model = FILE.models['main/gpt-4o']
  const file = { models: { 'main/gpt-4o': { ...model, price: { input: '3', output: '10' }, deployments: [] } } }
  const result = await run('catalog', ['apply', await writeCatalog('dearer.yaml', file)])
  expect(result.out.split('\n').filter((line) => line !== '')).toEqual([
    'price main/gpt-4o: input 3, output 10',
    '- deployment main/gpt-4o on main (gpt-4o)',
  ])
  const { rows } = await database.pool.query(`select units->>'input' as input from price order by starts_at`)
  expect(rows).toEqual([{ input: '2500000000' }, { input: '3000000000' }])
})

it.each([
  [{ models: { x: { ...FILE.models['main/gpt-4o'], price: { input: 2.5 } } } }, 'models.x.price.input'],
  [
    {
      models: {
        x: { ...FILE.models['main/gpt-4o'], deployments: [{ connection: 'main', model: 'gpt-4o', requestsPerMinute: 0 }] },
      },
    },
    'models.x.deployments.0.requestsPerMinute',
  ],
  [{ connections: { y: { kind: 'nothing' } } }, 'There is no connection kind "nothing"'],
  [{ connections: { y: { kind: 'openai', credentials: { apiKey: 'sk-plain' } } } }, 'connections.y.credentials.apiKey'],
  [{ connections: { y: { kind: 'openai' } } }, 'connections.y.credentials.apiKey: OpenAI requires this.'],
  [
    { connections: { y: { kind: 'openai', credentials: { apiKey: { env: 'NOT_SET' } } } } },
    'connections.y.credentials.apiKey: The variable NOT_SET is not set.',
  ],
  [{ connections: { main: { kind: 'groq' } } }, 'connections.main.kind: "main" is a connection of the kind openai'],
  [{ models: { x: { ...FILE.models['main/gpt-4o'], maxOutput: 999_999 } } }, 'models.x.maxOutput: An answer cannot be longer'],
  [{ models: { x: { ...FILE.models['main/gpt-4o'], price: { output: '1' } } } }, 'models.x.price: A model of this kind needs'],
  [
    { models: { x: { ...FILE.models['main/gpt-4o'], price: { input: '1', output: '1', chached_input: '1' } } } },
    'models.x.price.chached_input',
  ],
  [{ groups: { g: { models: ['nowhere'] } } }, 'There is no model "nowhere"'],
])('%j is refused, naming the place', async (file, messagePart) => {
  const { code, errors } = await run('catalog', ['diff', await writeCatalog('wrong.yaml', file)])
  expect({ code, told: errors.includes(messagePart) }, errors).toEqual({ code: 1, told: true })
})

/** Seals the secret of an authenticator app and both secrets of a webhook, as the console does. */
async function sealOtherSecrets(keyring: Keyring): Promise<() => Promise<string[]>> {
  const [appSecret, newSecret, oldSecret] = ['app', 'new', 'old'].map((text) => keyring.seal(`${text}-secret`))
  await database.pool.query(`insert into account (id, name) values ('acc_1', 'Ada')`)
  await database.pool.query(`insert into app_user (id, account_id, email, name, password_hash)
    values ('usr_1', 'acc_1', 'ada@example.com', 'Ada', 'none')`)
  await database.pool.query(`insert into second_step (user_id, secret_sealed, created_at) values ('usr_1', $1, now())`, [
    appSecret,
  ])
  await database.pool.query(
    `insert into webhook_endpoint (id, account_id, url, secret_sealed, old_secret_sealed, old_secret_until, created_at)
     values ('hook_1', 'acc_1', 'https://hooks.example.com', $1, $2, now(), now())`,
    [newSecret, oldSecret],
  )
  return async () => {
    const { rows } = await database.pool.query<{ sealed: Buffer }>(
      `select secret_sealed as sealed from second_step union all select secret_sealed from webhook_endpoint
       union all select old_secret_sealed from webhook_endpoint`,
    )
    return rows.map(({ sealed }) => keyring.open(sealed)).sort()
  }
}

it('rotating the key seals every secret anew, and a process that runs goes on', async () => {
  const env = { SECRET_KEY: KEY, CREDENTIALS_KEY: undefined, NEXTAUTH_SECRET: undefined, DATA_DIR: dir }
  const runningKeyring = (await secretsOf(env)).credentials
  const readSealed = async (): Promise<Buffer> =>
    (await database.pool.query('select secret_sealed from connection')).rows[0].secret_sealed
  const sealedBefore = await readSealed()
  expect(runningKeyring.open(sealedBefore)).toBe(SECRET)
  const others = await sealOtherSecrets(runningKeyring)
  const idleKeyring = (await secretsOf(env)).credentials
  const result = await run('rotate-key', [])
  expect(result.code, result.errors).toBe(0)
  expect(result.out).toContain('4 secrets are sealed with a new key')
  const sealedAfter = await readSealed()
  expect(sealedAfter.equals(sealedBefore)).toBe(false)
  expect(runningKeyring.open(sealedAfter)).toBe(SECRET)
  expect(await others()).toEqual(['app-secret', 'new-secret', 'old-secret'])
  const key = (await readFile(join(dir, 'credentials-key'), 'utf8')).trim()
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  // The root key alone no longer opens it.
  const otherSecrets = await secretsOf({ ...env, DATA_DIR: join(dir, 'elsewhere') })
  expect(() => otherSecrets.credentials.open(sealedAfter)).toThrow('sealed with another key')
  // The same for what a process seals that has opened nothing since.
  const lateSealed = idleKeyring.seal('late')
  expect(() => otherSecrets.credentials.open(lateSealed)).toThrow('sealed with another key')

  const freshKey = 'cd'.repeat(32)
  const rotation = await run('rotate-key', [], { CREDENTIALS_KEY: `${freshKey},${key}` })
  expect(rotation.code, rotation.errors).toBe(0)
  const last = (await secretsOf({ ...env, CREDENTIALS_KEY: freshKey })).credentials
  expect(last.open(await readSealed())).toBe(SECRET)
})

it('what was sealed before, and is written while the key is rotated, can be opened afterwards', async () => {
  // The key that everything is sealed with by now.
  await writeFile(join(dir, 'credentials-key'), 'cd'.repeat(32))
  await database.pool.query(`insert into account (id, name) values ('acc_2', 'Bob')`)
  const { credentials } = await secretsOf({
    SECRET_KEY: KEY,
    CREDENTIALS_KEY: undefined,
    NEXTAUTH_SECRET: undefined,
    DATA_DIR: dir,
  })
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query(
    `insert into webhook_endpoint (id, account_id, url, secret_sealed, created_at)
     values ('hook_2', 'acc_2', 'https://hooks.example.com', $1, now())`,
    [credentials.seal('under way')],
  )
  const rotated = run('rotate-key', [])
  const rotatedKey = await vi.waitFor(async () => {
    const [key, ...oldKeys] = (await readFile(join(dir, 'credentials-key'), 'utf8')).trim().split('\n')
    expect(oldKeys).toHaveLength(1)
    return key
  }, 10_000)
  await client.query('commit')
  client.release()
  expect(await rotated).toMatchObject({ code: 0, errors: '' })
  expect((await readFile(join(dir, 'credentials-key'), 'utf8')).trim()).toBe(rotatedKey)
  const { rows } = await database.pool.query<{ sealed: Buffer }>(
    `select secret_sealed as sealed from webhook_endpoint where id = 'hook_2'`,
  )
  expect(unseal(Buffer.from(rotatedKey ?? '', 'hex'), rows[0]?.sealed ?? Buffer.alloc(0))).toBe('under way')
})

it('two that rotate the key at the same time do it one after the other', async () => {
  const results = await Promise.all([run('rotate-key', []), run('rotate-key', [])])
  expect(results).toMatchObject([{ code: 0 }, { code: 0 }])
  const { credentials } = await secretsOf({
    SECRET_KEY: KEY,
    CREDENTIALS_KEY: undefined,
    NEXTAUTH_SECRET: undefined,
    DATA_DIR: dir,
  })
  const { rows } = await database.pool.query<{ sealed: Buffer }>(
    'select secret_sealed as sealed from webhook_endpoint order by id',
  )
  expect(rows.map(({ sealed }) => credentials.open(sealed))).toEqual(['new-secret', 'under way'])
})

it('what is archived is named nowhere in an exported file, and stays where it was when the file is applied', async () => {
  const [model] = Object.values(FILE.models)
  const moreFile = await writeCatalog('more.yaml', {
    connections: { away: { kind: 'openai', credentials: { apiKey: { env: 'MAIN_KEY' } } } },
    models: {
      stays: { ...model, deployments: [{ connection: 'away', model: 'gpt-4o' }] },
      gone: { ...model, deployments: [] },
    },
    groups: { team: { description: 'Ours', multiplierBp: 12_000, models: ['main/gpt-4o', 'stays', 'gone'] } },
  })
  expect((await run('catalog', ['apply', moreFile], { MAIN_KEY: SECRET })).errors).toBe('')
  await database.pool.query(`update connection set archived_at = now() where name = 'away'`)
  await database.pool.query(`update model set archived_at = now() where id = 'gone'`)
  const file = parse((await run('catalog', ['export'])).out) as CatalogFile
  expect(Object.keys(file.connections)).toEqual(['main'])
  expect(file.models.stays?.deployments).toEqual([])
  expect(file.groups.team?.models).toEqual(['main/gpt-4o', 'stays'])
  const path = await writeCatalog('living.yaml', file)
  expect((await run('catalog', ['diff', path])).out).toBe('The catalog matches the file.\n')

  const otherDatabase = await createDatabase()
  try {
    const { main } = file.connections
    const completeFile = { ...file, connections: { main: { ...main, credentials: { apiKey: { env: 'MAIN_KEY' } } } } }
    const otherEnv = { DATABASE_URL: otherDatabase.url, MAIN_KEY: SECRET }
    const applied = await run('catalog', ['apply', await writeCatalog('whole.yaml', completeFile)], otherEnv)
    expect(applied).toMatchObject({ code: 0, errors: '' })
    expect(parse((await run('catalog', ['export'], otherEnv)).out)).toEqual(file)
  } finally {
    await otherDatabase.drop()
  }
})

it('another default group is applied, whichever of the two stands first in the file and whatever else of them changes', async () => {
  const defaults = async () =>
    (await database.pool.query('select name, description, version from model_group where is_default')).rows
  const apply = async (name: string, groups: object) => {
    const result = await run('catalog', ['apply', await writeCatalog(name, { groups })])
    expect(result, result.errors).toMatchObject({ code: 0 })
  }
  const models: string[] = []
  await apply('one.yaml', { old: { default: true, models } })
  await apply('other.yaml', { other: { models } })
  // An existing group becomes the default, and is named before the former one.
  await apply('set.yaml', { other: { default: true, models }, old: { default: false, description: 'Was it', models } })
  expect(await defaults()).toMatchObject([{ name: 'other' }])
  // A new group becomes the default. The former one gets a new version, so an editor that has it open notices the change.
  const [{ version }] = await defaults()
  await apply('add.yaml', { fresh: { default: true, models }, other: { default: false, models } })
  expect(await defaults()).toMatchObject([{ name: 'fresh' }])
  const { rows } = await database.pool.query(`select version from model_group where name = 'other'`)
  expect(rows).toEqual([{ version: version + 1 }])
  await apply('both.yaml', { newest: { default: true, models }, fresh: { default: false, description: 'Was it too', models } })
  expect(await defaults()).toMatchObject([{ name: 'newest' }])
})

it.each([
  ['two defaults', { a: { default: true }, b: { default: true } }, 'groups.b.default: Only one group can be the default.'],
  ['a default that is not open', { a: { default: true, open: false } }, 'groups.a.open: The default group is what every account'],
  [
    'the present default as not open',
    { present: { open: false } },
    'groups.present.open: The default group is what every account',
  ],
])('a file with %s changes nothing', async (_, groups, error) => {
  const first = await run('catalog', ['apply', await writeCatalog('first.yaml', { groups: { present: { default: true } } })])
  expect(first, first.errors).toMatchObject({ code: 0 })
  for (const verb of ['diff', 'apply']) {
    const result = await run('catalog', [verb, await writeCatalog('bad.yaml', { groups })])
    expect(result.code).toBe(1)
    expect(result.errors).toContain(error)
  }
  const { rows } = await database.pool.query('select name, open from model_group where is_default')
  expect(rows).toEqual([{ name: 'present', open: true }])
})

it('a file that lists a deployment twice is refused before anything is applied', async () => {
  const [model] = Object.values(FILE.models)
  const deployment = { connection: 'main', model: 'gpt-4o' }
  const path = await writeCatalog('twice.yaml', { models: { twice: { ...model, deployments: [deployment, deployment] } } })
  const { code, errors } = await run('catalog', ['diff', path])
  expect(code).toBe(1)
  expect(errors).toContain('models.twice.deployments: "gpt-4o" on the connection "main" is listed twice.')
})

it('a model cannot be put on an archived connection that the file does not restore', async () => {
  const [model] = Object.values(FILE.models)
  await database.pool.query(
    `insert into connection (id, name, kind, archived_at) values ('con_shelved', 'shelved', 'ollama', now())`,
  )
  const deployments = [{ connection: 'shelved', model: 'x' }]
  const path = await writeCatalog('shelved.yaml', { models: { shelved: { ...model, deployments } } })
  const { code, errors } = await run('catalog', ['diff', path])
  expect(errors).toContain('models.shelved.deployments: The connection "shelved" is archived. Restore it first.')
  expect(code).toBe(1)
})
