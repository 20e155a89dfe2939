import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type JobRunner, migrateJobs, runJobs } from '#lib/host/job-runner'
import { silentLog } from '../fakes/log.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

let database: TestDatabase
let proxy: TcpProxy
let pool: pg.Pool
let runner: JobRunner | null = null
const uncaught: unknown[] = []
const note = (error: unknown) => void uncaught.push(error)

beforeAll(async () => {
  database = await createDatabase()
  proxy = await startTcpProxy(() => Number(new URL(database.url).port))
  const url = new URL(database.url)
  url.port = String(proxy.port)
  pool = new pg.Pool({ connectionString: url.href, max: 10 })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  await migrateJobs(database.pool)
  process.on('unhandledRejection', note)
})
afterEach(async () => {
  proxy.setRefusing(false)
  await runner?.stop()
})
afterAll(async () => {
  process.off('unhandledRejection', note)
  await pool?.end()
  await proxy?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const add = (name: string, times: number) =>
  database.pool.query('select graphile_worker.add_job($1, max_attempts := 20) from generate_series(1, $2)', [name, times])

test('whose end cannot be written down, because the database is away, end no process, and work goes on when it is back', async () => {
  let [startedCount, done] = [0, 0]
  const held: (() => void)[] = []
  const hold = async (fails: boolean): Promise<void> => {
    startedCount++
    await new Promise<void>((resolve) => held.push(resolve))
    if (fails) throw new Error('it failed')
  }
  runner = await runJobs({
    pool,
    log: silentLog,
    runnerName: 'tasks',
    jobs: { ends: () => hold(false), fails: () => hold(true), after: async () => void done++ },
  })
  await add('ends', 2)
  await add('fails', 2)
  await expect.poll(() => startedCount, { timeout: 10_000 }).toBe(4)

  proxy.setRefusing(true)
  proxy.reset()
  for (const end of held) end()
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(uncaught).toEqual([])

  proxy.setRefusing(false)
  await add('after', 3)
  await expect.poll(() => done, { timeout: 25_000 }).toBe(3)
  expect(uncaught).toEqual([])
}, 60_000)

test('are none of a runner that is stopped while it waits to be started again', async () => {
  const [started, end, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = async () => {
    started.resolve()
    await end.promise
  }
  let done = 0
  const log = { ...silentLog, warn: (_: object, message: string) => void (/is restarted/.test(message) && ended.resolve()) }
  runner = await runJobs({ pool, log, runnerName: 'tasks', jobs: { hold, late: async () => void done++ } })
  await add('hold', 1)
  await started.promise
  proxy.setRefusing(true)
  proxy.reset()
  end.resolve()
  await ended.promise
  await runner.stop()
  proxy.setRefusing(false)
  await add('late', 1)
  // It would have been started after a second.
  await new Promise((resolve) => setTimeout(resolve, 2500))
  expect(done).toBe(0)
}, 30_000)
