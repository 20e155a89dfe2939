import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SettingName } from '#lib/contracts/settings'
import { readEnv } from '#lib/env'
import { openSettings, subscribeToSettings } from '#lib/host/settings'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, setSettings } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'

const WORKERS = 2
const CONNECTIONS = 8
const POLL = { interval: 50, timeout: 10_000 }

let database: TestDatabase
let vendor: FakeVendor
let gateway: TestGateway
let delayMs = 0

const start = (env: Record<string, string> = {}) =>
  startGateway({
    databaseUrl: database.url,
    env: { WORKERS: String(WORKERS), DATABASE_POOL: '3', LOG_LEVEL: 'warn', KEY_RPM: '5000', ...env },
  })

beforeAll(async () => {
  database = await createDatabase()
  vendor = await startFakeVendor()
  vendor.answer(async (call) => {
    await sleep(delayMs)
    sendJson(call, chatAnswer('ok'))
  })
  gateway = await start()
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
})
afterAll(async () => {
  await gateway?.stop()
  await vendor?.[Symbol.asyncDispose]()
  await database?.drop()
})

const set = (values: Partial<Record<SettingName, unknown>>, notify = true) => setSettings(database.pool, values, notify)

async function newSecret(): Promise<string> {
  return (await addKey(database.pool, await addAccount(database.pool, 1_000_000_000_000n))).secret
}

interface WorkerAnswer {
  status: number
  limit: string | null
}

/** Opens connections that the workers take in turn, so that their answers together come from every worker. */
async function probeWorkers(secret: string, url = gateway.url): Promise<() => Promise<WorkerAnswer[]>> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(url)))
  return () =>
    Promise.all(
      connections.map(async (connection) => {
        connection.send(requestBytes({ method: 'GET', path: '/v1/models', headers: [['authorization', `Bearer ${secret}`]] }))
        const answer = await connection.readAnswer()
        return { status: answer.status, limit: answer.header('x-ratelimit-limit-requests') ?? null }
      }),
    )
}

const statuses = async (ask: () => Promise<WorkerAnswer[]>) => [...new Set((await ask()).map(({ status }) => status))]
const limits = async (ask: () => Promise<WorkerAnswer[]>) => [...new Set((await ask()).map(({ limit }) => limit))]

async function chats(count: number, secret: string): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ model: 'fake/chat', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }),
      }).then((answer) => answer.arrayBuffer().then(() => answer.status)),
    ),
  )
  expect(answers.filter((status) => status !== 200 && status !== 429)).toEqual([])
  return answers.filter((status) => status === 200).length
}

describe(`in ${WORKERS} workers`, () => {
  test('maintenance closes every one of them, and opens them again', async () => {
    const ask = await probeWorkers(await newSecret())
    expect(await statuses(ask)).toEqual([200])
    await set({ maintenance: true })
    await expect.poll(() => statuses(ask), POLL).toEqual([503])
    await set({ maintenance: undefined })
    await expect.poll(() => statuses(ask), POLL).toEqual([200])
  })

  test('a lower limit of requests a minute holds at once, for what was leased under the higher one too', async () => {
    const secret = await newSecret()
    const ask = await probeWorkers(secret)
    await expect.poll(() => limits(ask), POLL).toEqual(['5000'])
    await set({ keyRpm: 9 })
    await expect.poll(() => limits(ask), POLL).toEqual(['9'])
    // More than nine requests were sent within this minute by now.
    await expect.poll(() => statuses(ask), POLL).toEqual([429])
    const fresh = await newSecret()
    const askWithFreshKey = await probeWorkers(fresh)
    const workerAnswers = [...(await askWithFreshKey()), ...(await askWithFreshKey())]
    expect(workerAnswers.filter(({ status }) => status === 200).length).toBe(9)
    await set({ keyRpm: undefined })
    await expect.poll(() => limits(ask), POLL).toEqual(['5000'])
    expect(await statuses(ask)).toEqual([200])
  })

  test('and so does a lower number of requests at once', async () => {
    const secret = await newSecret()
    delayMs = 300
    expect(await chats(20, secret)).toBe(20)
    await set({ keyConcurrency: 3 })
    await expect.poll(() => chats(20, secret), { interval: 500, timeout: 20_000 }).toBe(3)
    await set({ keyConcurrency: undefined })
    await expect.poll(() => chats(20, secret), { interval: 500, timeout: 20_000 }).toBe(20)
    delayMs = 0
  })

  test('the requests that one process may have under way', async () => {
    const secret = await newSecret()
    const ask = await probeWorkers(secret)
    await set({ concurrency: 1 })
    delayMs = 400
    const busy = async () => {
      const all = Array.from({ length: 12 }, () =>
        fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', connection: 'close' },
          body: JSON.stringify({ model: 'fake/chat', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }),
        }).then((answer) => answer.status),
      )
      return (await Promise.all(all)).filter((status) => status === 200).length
    }
    await expect.poll(busy, { interval: 500, timeout: 20_000 }).toBeLessThanOrEqual(WORKERS)
    await set({ concurrency: undefined })
    await expect.poll(busy, { interval: 500, timeout: 20_000 }).toBe(12)
    delayMs = 0
    expect(await statuses(ask)).toEqual([200])
  })

  test('hear of it though the notification was lost', async () => {
    const ask = await probeWorkers(await newSecret())
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tollgate listen' AND datname = current_database()`,
    )
    await set({ maintenance: true }, false)
    await expect.poll(() => statuses(ask), POLL).toEqual([503])
    await set({ maintenance: undefined }, false)
    await expect.poll(() => statuses(ask), POLL).toEqual([200])
  })

  test('wins over the environment after a restart too, until it goes back to it', async () => {
    await set({ keyRpm: 1234 })
    await using other = await start({ KEY_RPM: '77' })
    const ask = await probeWorkers(await newSecret(), other.url)
    expect(await limits(ask)).toEqual(['1234'])
    await set({ keyRpm: undefined })
    await expect.poll(() => limits(ask), POLL).toEqual(['77'])
  })

  test('a stored value that this version cannot use is left out', async () => {
    await set({ keyRpm: -5, keyTpm: 4321 })
    await using other = await start({ KEY_RPM: '88' })
    const ask = await probeWorkers(await newSecret(), other.url)
    expect(await limits(ask)).toEqual(['88'])
    expect(other.log()).toContain('a stored setting is invalid')
    await set({ keyRpm: undefined, keyTpm: undefined })
  })
})

test('a process that serves the console only hears of changes, told or not', async () => {
  const { pool } = database
  const log = pino({ level: 'silent' })
  const env = readEnv({ DATABASE_URL: database.url, SIGN_UP: 'open' })
  const settings = await openSettings(pool, env, log)
  const subscription = await subscribeToSettings({ pool, env, log }, settings)
  const { values } = settings
  await set({ signUp: 'closed' })
  await expect.poll(() => values.signUp, POLL).toBe('closed')
  await set({ signUp: undefined, notice: { text: 'Hello', severity: 'info', until: null } }, false)
  await expect.poll(() => [values.signUp, values.notice?.text], POLL).toEqual(['open', 'Hello'])
  await set({ notice: undefined })
  await expect.poll(() => values.notice, POLL).toBeNull()
  await subscription.stop()
})
