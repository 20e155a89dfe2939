import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf, type KeyOptions } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'

const COST = 10_000_000n
const WORKERS = 4

let database: TestDatabase
let vendor: FakeVendor
let gateway: TestGateway
let delayMs = 20

beforeAll(async () => {
  database = await createDatabase()
  vendor = await startFakeVendor()
  vendor.answer(async (call) => {
    await sleep(delayMs)
    sendJson(call, chatAnswer('ok'))
  })
  gateway = await startGateway({
    databaseUrl: database.url,
    env: {
      WORKERS: String(WORKERS),
      DATABASE_POOL: '3',
      MAX_CONCURRENCY_PER_KEY: '600',
      LOG_LEVEL: 'warn',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  // Only requests cost anything, so a hold equals its charge.
  const units = { input: '0', output: '0', request: String(COST * 1_000_000n) }
  await addModel(database.pool, { id: 'fake/per-request', baseUrl: vendor.url, units })
  await sleep(700)
})

afterAll(async () => {
  await gateway?.stop()
  await vendor?.[Symbol.asyncDispose]()
  await database?.drop()
})

const BODY = JSON.stringify({ model: 'fake/per-request', messages: [{ role: 'user', content: 'Hi' }] })

async function call(secret: string): Promise<{ status: number; code: string | null; headers: Headers }> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', connection: 'close' },
    body: BODY,
  })
  const body = (await answer.json()) as { error?: { code: string } }
  return { status: answer.status, code: body.error?.code ?? null, headers: answer.headers }
}

const calls = (count: number, secret: string) => Promise.all(Array.from({ length: count }, () => call(secret)))
const good = (answers: { status: number }[]) => answers.filter((answer) => answer.status === 200).length

async function holder(calls: number, options: KeyOptions = {}): Promise<{ account: string; secret: string; keyId: string }> {
  const account = await addAccount(database.pool, COST * BigInt(calls))
  return { account, ...(await addKey(database.pool, account, options)) }
}

let clients = 0

/** A new client address: an address that is refused too often has to wait, with everything that comes from it. */
const newAddress = (): string => `192.0.2.${++clients % 256}`

/** Opens connections that the workers take in turn. Each sends a request with the given secret and returns the status. */
async function spread(count: number): Promise<{ ask: (secret: string) => Promise<number>; close(): void }[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const connection = await RawConnection.open(gateway.url)
      return {
        async ask(secret: string) {
          const headers: [string, string][] = [
            ['authorization', `Bearer ${secret}`],
            ['x-forwarded-for', newAddress()],
          ]
          connection.send(requestBytes({ method: 'GET', path: '/v1/models', headers }))
          return (await connection.readAnswer()).status
        },
        close: () => connection.destroy(),
      }
    }),
  )
}

describe(`${WORKERS} workers on one port`, () => {
  test('let exactly 137 of 500 calls at once succeed where the balance affords 137', async () => {
    const { account, secret } = await holder(137)
    const answers = await calls(500, secret)
    expect(good(answers)).toBe(137)
    // A caller that is refused while the last requests run is told to retry.
    expect(answers.filter(({ code }) => code === 'insufficient_quota' || code === 'rate_limit_exceeded').length).toBe(363)
    expect((await balanceOf(database.pool, account)).balance).toBe(0n)
    await expectBalancedBooks(database.pool)
  })

  test('let exactly 100 of 400 calls at once pass a limit of 100 a minute', async () => {
    const { secret } = await holder(1000, { rpm: 100 })
    const answers = await calls(400, secret)
    expect(good(answers)).toBe(100)
    for (const { code, headers } of answers.filter(({ status }) => status !== 200)) {
      expect(code).toBe('rate_limit_exceeded')
      expect([headers.get('x-ratelimit-limit-requests'), headers.get('x-ratelimit-remaining-requests')]).toEqual(['100', '0'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(30)
    }
  })

  test('and all of them to one that has a single connection', async () => {
    const { secret } = await holder(1000, { rpm: 40 })
    const [one] = await spread(1)
    const statuses: (number | undefined)[] = []
    for (let n = 0; n < 45; n++) statuses.push(await one?.ask(secret))
    one?.close()
    expect(statuses).toEqual([...Array(40).fill(200), ...Array(5).fill(429)])
  })

  test('count the requests that a key has under way together', async () => {
    const { secret } = await holder(2000)
    delayMs = 1500
    const running = calls(700, secret)
    const answers = await running.finally(() => {
      delayMs = 20
    })
    expect(good(answers)).toBeLessThanOrEqual(600)
    // At most a sixteenth may lie idle in blocks.
    expect(good(answers)).toBeGreaterThan(560)
    await sleep(600)
    expect(good(await calls(500, secret))).toBe(500)
  })

  test('make an address wait that failed with all of them', async () => {
    const bad = `sk-tg-${'0'.repeat(46)}`
    // All clients of this file share one address, which is blocked for a minute, so this test has a gateway of its own.
    await using other = await startGateway({ databaseUrl: database.url, env: { WORKERS: '3', DATABASE_POOL: '3' } })
    const ask = async () => {
      const headers = { authorization: `Bearer ${bad}`, connection: 'close' }
      return (await fetch(`${other.url}/v1/models`, { headers })).status
    }
    const statuses: number[] = []
    for (let n = 0; n < 70; n++) statuses.push(await ask())
    expect(statuses.filter((status) => status === 401).length).toBe(60)
    expect(statuses.slice(60)).toEqual(Array(10).fill(429))
  })

  test('all hear that a key was revoked, though nobody told them', async () => {
    const { secret, keyId } = await holder(10)
    const connections = await spread(WORKERS * 4)
    expect(await Promise.all(connections.map(({ ask }) => ask(secret)))).toEqual(Array(WORKERS * 4).fill(200))
    // Their listening connections are cut, and the change is written without a notification on the channel.
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tollgate listen' AND datname = current_database()`,
    )
    await database.pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [keyId])
    await database.pool.query(`INSERT INTO change (topic, ref) VALUES ('key', $1)`, [keyId])
    // It takes half a second on an idle machine.
    await expect
      .poll(() => Promise.all(connections.map(({ ask }) => ask(secret))), { interval: 50, timeout: 5000 })
      .toEqual(Array(WORKERS * 4).fill(401))
    for (const { close } of connections) close()
  })

  test('and that a price and a group have changed', async () => {
    const { account, secret } = await holder(1000)
    const groupId = 'grp_default'
    expect(good(await calls(8, secret))).toBe(8)
    const before = (await balanceOf(database.pool, account)).balance
    await database.pool.query(
      `INSERT INTO price (id, model_id, starts_at, units, vendor_units)
       SELECT $1, model_id, now() - interval '1 second', '{"input":"0","output":"0","request":"1000000"}', vendor_units FROM price WHERE model_id = 'fake/per-request' ORDER BY starts_at LIMIT 1`,
      [`prc_${crypto.randomUUID()}`],
    )
    await database.pool.query('UPDATE model_group SET rpm = 9 WHERE id = $1', [groupId])
    await database.pool.query(`INSERT INTO change (topic, ref) VALUES ('catalog', 'fake/per-request'), ('group', $1)`, [groupId])
    await sleep(1000)
    const answers = await calls(20, secret)
    await database.pool.query('UPDATE model_group SET rpm = NULL WHERE id = $1', [groupId])
    await database.pool.query(`INSERT INTO change (topic, ref) VALUES ('group', $1)`, [groupId])
    expect(good(answers)).toBe(1)
    expect(before - (await balanceOf(database.pool, account)).balance).toBe(1n)
    await sleep(1000)
  })

  test('do not start where the port is taken, and say so', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const start = startGateway({ databaseUrl: database.url, port, env: { WORKERS: '2', DATABASE_POOL: '2' } })
    await expect(start).rejects.toThrow(/PORT, HOST: this gateway cannot listen on that address: .*EADDRINUSE/)
    taken.close()
  })

  test('show their metrics as one', async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(text.match(/^tollgate_shared_limits_reached 1$/m)).not.toBeNull()
    const requests = [...text.matchAll(/^tollgate_requests_total\{.*outcome="finished".*\} (\d+)$/gm)]
    const finished = await database.pool.query(`SELECT count(*)::int AS n FROM usage_record WHERE outcome = 'finished'`)
    expect(requests.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(finished.rows[0].n)
  })
})
