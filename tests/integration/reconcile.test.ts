import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Attempt } from '#lib/domain/settlement'
import { NO_USAGE } from '#lib/domain/usage'
import { runCommand } from '../support/command.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

let world: ConsoleWorld
let dir: string
beforeAll(async () => {
  world = await openConsoleWorld()
  dir = await mkdtemp(join(tmpdir(), 'tollgate-reconcile-'))
  await world.pool.query(`
    insert into deployment (id, model_id, connection_id, upstream_model) values
      ('dep_real', 'small', 'con_real', 'gpt-4o'), ('dep_other', 'small', 'con_real', 'gpt-4o-mini')`)
  const user = await world.newUser()
  const served = (deployment: string, model: string, result: Attempt['result'] = 'answered'): Attempt => ({
    deployment,
    connection: 'as it was called then',
    model,
    status: 200,
    tookMs: 5,
    result,
    detail: null,
  })
  const ask = (at: string, trace: Attempt[], input: bigint, cachedInput: bigint, total: bigint) =>
    world.settle(user, {
      at: new Date(at),
      trace,
      total,
      usage: { ...NO_USAGE, input, cachedInput, output: input > 0n ? 10n : 0n, requests: 1n },
    })
  await ask('2026-11-18T00:00:00Z', [served('dep_real', 'gpt-4o')], 100n, 20n, 1_500_000n)
  await ask('2026-11-18T23:59:59Z', [served('dep_box', 'box', 'failed'), served('dep_real', 'gpt-4o')], 50n, 0n, 500_000n)
  await ask('2026-11-18T12:00:00Z', [served('dep_other', 'gpt-4o-mini')], 7n, 0n, 1_000n)
  await ask('2026-11-19T00:00:00Z', [served('dep_real', 'gpt-4o')], 1000n, 0n, 10_000_000n)
  // The vendor bills none of these: another connection served it, the vendor refused it, or no vendor was called.
  await ask('2026-11-18T12:00:00Z', [served('dep_real', 'gpt-4o', 'failed'), served('dep_box', 'box')], 9n, 0n, 900n)
  await ask('2026-11-18T12:00:00Z', [served('dep_real', 'gpt-4o', 'refused')], 0n, 0n, 0n)
  await ask('2026-11-18T12:00:00Z', [], 0n, 0n, 0n)
})
afterAll(async () => {
  await world.close()
  await rm(dir, { recursive: true })
})

const HEAD = 'start_time,end_time,num_model_requests,input_tokens,input_cached_tokens,output_tokens,model\n'
const DAY_18 = 1_794_960_000
const USAGE = `${HEAD}${DAY_18},,2,170,20,20,gpt-4o-2024-08-06\n${DAY_18},,1,7,0,10,gpt-4o-mini\n${DAY_18 + 86_400},,1,1000,0,10,gpt-4o-2024-08-06\n`
const COSTS = `start_time,amount_value,line_item\n${DAY_18},0.0012,"gpt-4o-2024-08-06, input"\n${DAY_18},0.0008,"gpt-4o-2024-08-06, output"\n${DAY_18},0.000001,"gpt-4o-mini, input"\n${DAY_18 + 86_400},0.01,gpt-4o\n`

async function reconcile(files: Record<string, string>, ...more: string[]) {
  const args = ['--connection', 'real']
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(dir, name), text)
    args.push('--file', join(dir, name))
  }
  return runCommand('reconcile', [...args, ...more], { DATABASE_URL: world.url })
}

it('finds nothing where the exports say what the records say, by day, model and figure', async () => {
  const ran = await reconcile({ 'usage.csv': USAGE, 'costs.csv': COSTS })
  expect(ran.errors).toBe('')
  expect(ran.out).toContain('All 15 figures from 2026-11-18 to 2026-11-19 are the same.')
  expect(ran.code).toBe(0)
})

it('lists a difference that was planted, in a table and as JSON, and ends with 2; a tolerance lets it pass', async () => {
  const files = { 'usage.csv': USAGE.replace(',170,', ',171,'), 'costs.csv': COSTS.replace('0.0012', '0.00120003') }
  const ran = await reconcile(files)
  expect(ran.code).toBe(2)
  const rows = ran.out.split('\n').filter((line) => line.endsWith('DIFFERS'))
  expect(rows.map((row) => row.split(/\s{2,}/))).toEqual([
    ['2026-11-18', 'gpt-4o', 'input', '170', '171', '1', '+0.58%', 'DIFFERS'],
    ['2026-11-18', 'gpt-4o', 'cost', '0.002', '0.00200003', '0.00000003', '+0.00%', 'DIFFERS'],
  ])
  expect(ran.out).toContain('2 of 15 figures from 2026-11-18 to 2026-11-19 differ.')
  const json = JSON.parse((await reconcile(files, '--json')).out)
  expect(json).toMatchObject({
    from: '2026-11-18',
    to: '2026-11-19',
    layouts: ['OpenAI usage, JSON or CSV', 'OpenAI costs, CSV'],
  })
  expect(json.figures.filter((figure: { differs: boolean }) => figure.differs)).toHaveLength(2)
  expect((await reconcile(files, '--tolerance', '1%')).code).toBe(0)
})

it('tells of days of which the export has nothing, and looks at those days only that it was asked for', async () => {
  const files = { 'usage.csv': USAGE.replace(/^.*,1000,0,10,.*$/m, '') }
  expect((await reconcile(files)).code).toBe(0)
  const longer = await reconcile(files, '--to', '2026-11-19')
  expect(longer.code).toBe(2)
  expect(longer.out).toMatch(/2026-11-19 +gpt-4o +requests +1 +0 +-1 +-100\.00% +DIFFERS/)
  expect((await reconcile({ 'usage.csv': USAGE.replace(',1000,', ',1,') }, '--to', '2026-11-18')).code).toBe(0)
})

it('takes any other file by its columns', async () => {
  const text = 'When,What,Dollars\n2026-11-18,gpt-4o,0.002\n2026-11-18,gpt-4o-mini,0.000001\n2026-11-19,gpt-4o,0.01\n'
  expect((await reconcile({ 'own.csv': text }, '--columns', 'day=When,model=What,cost=Dollars')).code).toBe(0)
})

it.each([
  [['--connection', 'nobody'], /^There is no connection "nobody"/],
  [['--tolerance', '5'], /^--tolerance: "5" is not a percentage/],
  [['--from', '2026-02-30'], /^--from: "2026-02-30" is not a day/],
  [['--from', '2026-11-19', '--to', '2026-11-18'], /^2026-11-18 is before 2026-11-19/],
  [['--columns', 'day=When'], /^--columns: at least one of/],
  [['--file', 'nowhere.csv'], /^--file: nowhere\.csv cannot be read \(ENOENT\)/],
])('refuses %j with a sentence that says what is wrong', async (args, message) => {
  const ran = await reconcile({ 'usage.csv': USAGE }, ...args)
  expect(ran.errors).toMatch(message)
  expect(ran.code).toBe(1)
})

it('refuses a file that is named twice, by whatever name: all of it would be counted twice', async () => {
  await symlink(join(dir, 'usage.csv'), join(dir, 'again.csv'))
  for (const name of ['usage.csv', 'again.csv', './usage.csv']) {
    const ran = await reconcile({ 'usage.csv': USAGE }, '--file', `${dir}/${name}`)
    expect(ran).toMatchObject({
      code: 1,
      out: '',
      errors: `--file: ${dir}/${name} is given twice and would be counted twice.\n`,
    })
  }
})

it('names the file and the line of a bad one, and what it needs where it is told nothing', async () => {
  const bad = await reconcile({ 'usage.csv': USAGE.replace(',170,', ',many,') })
  expect(bad).toMatchObject({ code: 1, errors: expect.stringMatching(/^usage\.csv:2: input_tokens: "many" is not a number/) })
  const none = await runCommand('reconcile', [], { DATABASE_URL: world.url })
  expect(none).toMatchObject({ code: 1, errors: expect.stringMatching(/^Usage: npm run reconcile/) })
})
