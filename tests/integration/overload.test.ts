import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { CONDITION_TABLE } from '#lib/domain/errors'
import { chatAnswer, holdAnswers, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel } from '../support/fixtures.ts'
import { startGateway, type TestGateway, waitUntilModelKnown } from '../support/gateway.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'

const BODY = JSON.stringify({ model: 'fake/chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 })

interface CallResult {
  status: number
  code: string | null
  retryAfter: string | null
  tookMs: number
}

async function call(gateway: TestGateway, secret: string, sent = BODY): Promise<CallResult> {
  const startedAt = performance.now()
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: sent,
  })
  const body = (await answer.json()) as { error?: { code: string } }
  const retryAfter = answer.headers.get('retry-after')
  return { status: answer.status, code: body.error?.code ?? null, retryAfter, tookMs: performance.now() - startedAt }
}

const metric = async ({ url }: TestGateway, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} ([0-9.e+-]+)$`, 'm').exec(text)?.[1] ?? 0)
}

test('past MAX_CONCURRENCY a request is turned down at once, before its key and its body, and the rest go on', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  const releaseAnswers = holdAnswers(vendor, (vendorCall) => sendJson(vendorCall, chatAnswer('ok')))
  await using gateway = await startGateway({ databaseUrl: database.url, env: { MAX_CONCURRENCY: '10' } })
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
  const { secret } = await addKey(database.pool, await addAccount(database.pool, 1_000_000_000n))
  await waitUntilModelKnown(gateway.url, secret, 'fake/chat')
  const all = Array.from({ length: 30 }, () => call(gateway, secret))
  await expect.poll(() => vendor.calls.length).toBe(10)
  await expect.poll(() => metric(gateway, 'tollgate_shed_total\\{reason="under_way"\\}')).toBe(20)
  expect(await metric(gateway, 'tollgate_under_way')).toBe(10)
  // Ten megabytes are announced, none are sent, and the key is invalid: the answer comes all the same.
  const connection = await RawConnection.open(gateway.url)
  connection.send(
    requestBytes({
      headers: [
        ['authorization', 'Bearer x'],
        ['content-length', '10000000'],
      ],
    }),
  )
  expect((await connection.readAnswer()).status).toBe(503)
  connection.destroy()
  // Health checks and metrics are not anybody's requests: they are always answered.
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  releaseAnswers()
  const seen = await Promise.all(all)
  expect(seen.filter(({ status }) => status === 200).length).toBe(10)
  const refused = seen.filter(({ status }) => status === 503)
  expect(refused.length).toBe(20)
  for (const item of refused) expect(item).toMatchObject({ code: CONDITION_TABLE.overloaded.code, retryAfter: '1' })
  await expect.poll(() => metric(gateway, 'tollgate_under_way')).toBe(0)
  expect((await call(gateway, secret)).status).toBe(200)
  expect(gateway.log().match(/overloaded: new requests are refused/g)?.length).toBe(1)
})

test('every way in which a request can end leaves its place free', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  await using gateway = await startGateway({ databaseUrl: database.url, env: { MAX_CONCURRENCY: '2' } })
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
  const { secret } = await addKey(database.pool, await addAccount(database.pool, 1_000_000_000n))
  await waitUntilModelKnown(gateway.url, secret, 'fake/chat')
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, {
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...init,
    }).then(
      (answer) => answer.text(),
      () => '',
    )
  const chat = (body: string, more: RequestInit = {}) => send('/v1/chat/completions', { method: 'POST', body, ...more })
  for (let n = 0; n < 3; n++) {
    await send('/v1/models')
    await send('/v1/models', { headers: {} })
    await send('/v1/nothing')
    await send('/v1/models', { method: 'PUT' })
    await chat('{')
    await chat(BODY)
    await chat(BODY.replace('fake/chat', 'no/such'))
    await chat(BODY.replace('"model"', '"stream":true,"model"'))
    const key = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': 'k' }
    await chat(BODY, { headers: key })
    vendor.answer((vendorCall) => void vendorCall.response.destroy())
    await chat(BODY)
    vendor.answer(async (vendorCall) => {
      await sleep(200)
      sendJson(vendorCall, chatAnswer('ok'))
    })
    await chat(BODY.replace('"model"', '"stream":true,"model"'), { signal: AbortSignal.timeout(50) })
    vendor.answer((vendorCall) => sendJson(vendorCall, chatAnswer('ok')))
    // A request whose client has disconnected stays in progress until its usage is counted.
    await expect.poll(() => metric(gateway, 'tollgate_under_way')).toBe(0)
  }
  expect(await metric(gateway, 'tollgate_shed_total\\{reason="under_way"\\}')).toBe(0)
})

test('while charges wait for the database, new requests are refused at once and those under way are charged', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  await using gateway = await startGateway({ databaseUrl: database.url })
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
  const account = await addAccount(database.pool, 1_000_000_000n)
  const { secret } = await addKey(database.pool, account)
  await waitUntilModelKnown(gateway.url, secret, 'fake/chat')
  expect((await call(gateway, secret)).status).toBe(200)
  // Nobody can settle while this transaction holds the account's purse. The rest of the database works.
  const blocker = new pg.Client({ connectionString: database.url })
  await blocker.connect()
  await blocker.query('BEGIN')
  await blocker.query('SELECT 1 FROM purse WHERE id = $1 FOR UPDATE', [account])
  const waiting = Array.from({ length: 5 }, () => call(gateway, secret))
  await sleep(2500)
  const refused = await Promise.all(Array.from({ length: 20 }, () => call(gateway, secret)))
  for (const item of refused) {
    expect(item).toMatchObject({ status: 503, code: 'service_unavailable', retryAfter: '2' })
    // The others wait until the transaction ends.
    expect(item.tookMs).toBeLessThan(5000)
  }
  expect(await metric(gateway, 'tollgate_settling_oldest_seconds')).toBeGreaterThan(2)
  // Looking up models needs no ledger.
  expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status).toBe(200)
  await blocker.query('ROLLBACK')
  await blocker.end()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(5).fill(200))
  expect((await call(gateway, secret)).status).toBe(200)
  await expectBalancedBooks(database.pool)
})

test('when the event loop is late, requests are turned down until it is not', async () => {
  await using database = await createDatabase()
  await using gateway = await startGateway({ databaseUrl: database.url, env: { SHED_LAG_MS: '300' } })
  const connection = await RawConnection.open(gateway.url)
  const ask = async () => {
    connection.send(requestBytes({ method: 'GET', path: '/v1/models' }))
    return await connection.readAnswer()
  }
  await expect.poll(async () => (await ask()).status, { timeout: 10_000 }).toBe(401)
  // A suspended process falls behind.
  gateway.kill('SIGSTOP')
  await sleep(5000)
  gateway.kill('SIGCONT')
  const seen = new Map<number, string | null>()
  await expect
    .poll(
      async () => {
        const answer = await ask()
        seen.set(answer.status, answer.header('retry-after'))
        return seen.has(503) && answer.status
      },
      { timeout: 10_000, interval: 5 },
    )
    .toBe(401)
  expect(seen.get(503)).toBe('1')
  expect(await metric(gateway, 'tollgate_shed_total\\{reason="lag"\\}')).toBeGreaterThan(0)
  connection.destroy()
})

test('GET /healthz says that it serves', async () => {
  await using database = await createDatabase()
  await using gateway = await startGateway({ databaseUrl: database.url })
  const health = async (path = '/healthz') => {
    const answer = await fetch(`${gateway.url}${path}`)
    return [answer.status, await answer.json()]
  }
  expect(await health()).toEqual([200, { status: 'ok', database: true }])
  expect(await health('/healthz/live')).toEqual([200, { status: 'ok' }])
})

test('and that its database is gone', async () => {
  const database = await createDatabase()
  await using gateway = await startGateway({ databaseUrl: database.url })
  await database.drop()
  const health = await fetch(`${gateway.url}/healthz`)
  expect([health.status, await health.json()]).toEqual([503, { status: 'no database', database: false }])
  expect((await fetch(`${gateway.url}/healthz/live`)).status).toBe(200)
})

test('and that its database takes no writes, as a standby does: every request is refused then', async () => {
  await using database = await createDatabase()
  await using gateway = await startGateway({ databaseUrl: database.url })
  const health = async () => (await fetch(`${gateway.url}/healthz`)).status
  const setReadOnly = async (value: 'on' | 'off') => {
    await database.pool.query(`alter database "${database.name}" set default_transaction_read_only = ${value}`)
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }
  await setReadOnly('on')
  await expect.poll(health).toBe(503)
  // Longer than connections take to come back.
  await sleep(3000)
  expect(await health()).toBe(503)
  await setReadOnly('off')
  await expect.poll(health, { timeout: 10_000 }).toBe(200)
})

test('large bodies under way take so much of the memory, of one account and of all, whatever they wait for', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  const releaseAnswers = holdAnswers(vendor, (vendorCall) => sendJson(vendorCall, chatAnswer('ok')))
  const capacityEnv = { MAX_BODY_BYTES: '200000', BODY_BYTES_PER_ACCOUNT: '200000', BODY_BYTES: '350000' }
  await using gateway = await startGateway({ databaseUrl: database.url, env: capacityEnv })
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
  const secrets = await Promise.all(
    [1, 2, 3].map(async () => (await addKey(database.pool, await addAccount(database.pool, 100_000_000_000n))).secret),
  )
  const [one = '', two = '', three = ''] = secrets
  await waitUntilModelKnown(gateway.url, one, 'fake/chat')
  const large = BODY.replace(/}$/, `,"user":"x","metadata":{"x":"${'x'.repeat(150_000)}"}}`)
  const held = [call(gateway, one, large), call(gateway, two, large)]
  await expect.poll(() => vendor.calls.length).toBe(2)
  expect(await call(gateway, one, large)).toMatchObject({ status: 429, code: 'rate_limit_exceeded', retryAfter: '5' })
  expect(await call(gateway, three, large)).toMatchObject({ status: 503, code: 'service_unavailable', retryAfter: '5' })
  // Small requests do not need this memory.
  held.push(call(gateway, one), call(gateway, three))
  await expect.poll(() => vendor.calls.length).toBe(4)
  releaseAnswers()
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  for (const secret of secrets) expect(await call(gateway, secret, large)).toMatchObject({ status: 200 })
})
