import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { nano } from '#lib/domain/money'
import type { Settlement } from '#lib/domain/settlement'
import { settlementRow } from '#lib/ledger/settlement-row'
import type { Hold } from '#lib/ledger/wallet'
import { PgLedgerStore } from '#lib/store/ledger/ledger-store'
import { encodeSettlements, postSettlementsFast, prepareSettling } from '#lib/store/ledger/settle'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, holdOrThrow, newRequestId, openLedger, settlementOf, type TestLedger } from '../support/ledger.ts'

/** The Sync message, which ends the transaction of a batch. */
const SYNC = Buffer.from([0x53, 0, 0, 0, 4])

let database: TestDatabase
let ledger: TestLedger
let client: pg.Client

beforeAll(async () => {
  database = await createDatabase()
  ledger = await openLedger(database.pool, database.url)
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await prepareSettling(client)
})

afterEach(() => expectBalancedBooks(database.pool))

afterAll(async () => {
  await client.end()
  await ledger.close()
  await database.drop()
})

/** Posts settlements this way without the fallback, so that a test sees what this way does. */
function atOnce(items: Settlement[]) {
  const rows = items.map(settlementRow)
  return postSettlementsFast(client, encodeSettlements(rows), rows)
}

async function createHold(amount: bigint, credit = 1000n): Promise<{ account: string; hold: Hold }> {
  const account = await addAccount(database.pool, credit)
  return { account, hold: await holdOrThrow(ledger, account, amount) }
}

const purseOf = async (id: string) =>
  (await database.pool.query<{ spent: string; leased: string }>('SELECT spent, leased FROM purse WHERE id = $1', [id])).rows[0]

const recordsOf = async (account: string) =>
  (await database.pool.query('SELECT * FROM usage_record WHERE account_id = $1 ORDER BY id', [account])).rows

test('charges of several accounts, and a request that cost nothing, are settled in one round trip', async () => {
  const [a, b] = [await createHold(300n), await createHold(300n)]
  const items = [
    settlementOf(a.account, a.hold, 40n),
    settlementOf(b.account, b.hold, 5n, { status: 200, keyId: 'key_other', firstTokenMs: 3.5 }),
    settlementOf(a.account, a.hold, 60n, { modelId: 'test/other' }),
    settlementOf(b.account, null, 0n, { status: 429, outcome: 'refused', errorCode: 'rate_limit_exceeded', receipt: null }),
  ]
  const settled = await atOnce(items)
  expect(settled?.map(({ charged, shortfall, balance }) => [charged, shortfall, balance])).toEqual([
    [40n, 0n, 900n],
    [5n, 0n, 995n],
    [60n, 0n, 900n],
    [0n, 0n, 995n],
  ])
  expect(settled?.map(({ id }) => id)).toEqual(items.map(({ id }) => id))
  a.hold.end(100n)
  b.hold.end(5n)
  const records = (await recordsOf(b.account)).map((row) => [row.status, row.charged_nano, row.first_token_ms])
  expect(records.sort()).toEqual([
    [200, '5', 3.5],
    [429, '0', null],
  ])
  const hours = await database.pool.query(
    'SELECT model_id, requests, errors, charged_nano FROM usage_hour WHERE account_id = $1 ORDER BY 1',
    [a.account],
  )
  expect(hours.rows).toEqual([
    { model_id: 'test/model', requests: '1', errors: '0', charged_nano: '40' },
    { model_id: 'test/other', requests: '1', errors: '0', charged_nano: '60' },
  ])
})

test('one by one, and beside requests of others, requests change purses, leases and hours as all of them at once', async () => {
  const usage = { input: 900n, cachedInput: 5n, cacheWrite: 2n, output: 11n, reasoning: 3n, requests: 1n }
  // Two of the same hour, and each of the others differs from the first in one thing.
  const requests = (account: string, hold: Hold): Settlement[] =>
    [
      { charge: 40n, usage, firstTokenMs: 3.5, tookMs: 12.25, ownMs: 0.5 },
      { charge: 7n, usage, tookMs: 8.5, ownMs: 0.25 },
      { charge: 0n, tookMs: 1.5, ownMs: 1.5, status: 502 },
      { charge: 1n, keyId: 'key_other' },
      { charge: 2n, modelId: 'test/other' },
      { charge: 3n, at: new Date('2026-11-30T13:00:00Z') },
    ].map(({ charge, ...more }) => {
      const item = settlementOf(account, hold, charge, { at: new Date('2026-11-30T12:59:59.999Z'), ...more })
      return { ...item, receipt: item.receipt && { ...item.receipt, vendorCost: nano(charge * 2n) } }
    })
  const stateOf = async ({ account, hold }: { account: string; hold: Hold }) => {
    const read = async (sql: string, id: string | null) => (await database.pool.query(sql, [id])).rows
    const hours = await read('SELECT * FROM usage_hour WHERE account_id = $1 ORDER BY hour, key_id, model_id', account)
    return [
      await purseOf(account),
      await read('SELECT amount FROM lease WHERE id = $1', hold.leaseId),
      hours.map(({ account_id: _, ...hour }) => hour),
    ]
  }
  const single = await createHold(300n)
  for (const item of requests(single.account, single.hold)) await atOnce([item])
  const grouped = await createHold(300n)
  await atOnce(requests(grouped.account, grouped.hold))
  const [mixed, other] = [await createHold(300n), await createHold(300n)]
  for (const item of requests(mixed.account, mixed.hold)) await atOnce([item, settlementOf(other.account, other.hold, 1n)])
  const state = await stateOf(single)
  const sums = { requests: '3', errors: '1', charged_nano: '47', vendor_cost_nano: '94', first_tokens: '1', took_ms: 22.25 }
  expect(state[2]).toMatchObject([{ charged_nano: '1' }, sums, { charged_nano: '2' }, { charged_nano: '3' }])
  expect([await stateOf(grouped), await stateOf(mixed)]).toEqual([state, state])
  for (const { hold } of [single, grouped, mixed]) hold.end(53n)
  other.hold.end(6n)
})

test('what takes more to work out is not settled in this way', async () => {
  const { account, hold } = await createHold(100n)
  const kept = { key: 'k', status: 200, headers: {}, body: Buffer.from('{}') }
  for (const item of [
    settlementOf(account, hold, 101n),
    settlementOf(account, { ...hold, leaseId: null } as unknown as Hold, 10n),
    settlementOf(account, hold, 10n, { void: true }),
    settlementOf(account, hold, 10n, { answer: kept }),
  ])
    expect(await atOnce([settlementOf(account, hold, 1n), item])).toBeNull()
  expect(await recordsOf(account)).toEqual([])
})

test.each([
  ['a lease that was swept', (_: string, lease: string) => ['UPDATE lease SET amount = 0 WHERE id = $1', [lease]] as const],
  ['a lease that is gone', (_: string, lease: string) => ['DELETE FROM lease WHERE id = $1', [lease]] as const],
  [
    'a limit that its key has by now',
    (account: string, _: string) =>
      [
        `INSERT INTO purse (id, kind, account_id, key_id, credit) VALUES ('key_' || $1 || ':total', 'key', $1, 'key_' || $1, 500)`,
        [account],
      ] as const,
  ],
])('%s: nothing of the batch stays, and all of it is charged in the other way', async (_name, breakState) => {
  const { account, hold } = await createHold(100n)
  const keyId = `key_${account}`
  await addKey(database.pool, account, { id: keyId, limitTotalNano: 500n })
  const [sql, values] = breakState(account, hold.leaseId ?? '')
  await database.pool.query(sql, [...values])
  const swept = sql.includes('lease')
  if (swept) await database.pool.query('UPDATE purse SET leased = 0 WHERE id = $1', [account])
  const before = await purseOf(account)
  const items = [settlementOf(account, hold, 30n, { keyId }), settlementOf(account, hold, 40n, { keyId })]
  await expect(atOnce(items)).rejects.toMatchObject({ code: swept ? expect.stringMatching(/^(TG001|23514)$/) : 'TG001' })
  expect([await purseOf(account), await recordsOf(account)]).toEqual([before, []])
  const settled = await Promise.all(items.map((item) => ledger.committer.post(item)))
  expect(settled.map(({ charged }) => charged)).toEqual([30n, 40n])
  expect((await balanceOf(database.pool, account)).balance).toBe(930n)
  if (!swept) expect(await purseOf(`${keyId}:total`)).toMatchObject({ spent: '70' })
  hold.end(70n)
})

test('an id that is there already: nothing of the batch stays, and each is charged once', async () => {
  const { account, hold } = await createHold(100n)
  const [first, second] = [settlementOf(account, hold, 10n), settlementOf(account, hold, 20n)]
  await atOnce([first])
  await expect(atOnce([second, first])).rejects.toMatchObject({ code: '23505' })
  expect(await recordsOf(account)).toHaveLength(1)
  const settled = await Promise.all([second, first].map((item) => ledger.committer.post(item)))
  expect(settled.map(({ charged }) => charged)).toEqual([20n, 10n])
  hold.end(30n)
})

test('two accounts that two connections charge in opposite orders never meet in a deadlock', async () => {
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await prepareSettling(other)
  const [a, b] = [await createHold(500n), await createHold(500n)]
  const post = (from: pg.Client, order: (typeof a)[]) => {
    const rows = order.map(({ account, hold }) => settlementRow(settlementOf(account, hold, 1n)))
    return postSettlementsFast(from, encodeSettlements(rows), rows)
  }
  for (let round = 0; round < 50; round++) await Promise.all([post(client, [a, b]), post(other, [b, a])])
  await other.end()
  a.hold.end(100n)
  b.hold.end(100n)
  expect((await balanceOf(database.pool, a.account)).balance).toBe(900n)
})

test('a database that does not take them in this way settles all the same, and it is told once', async () => {
  const { account, hold } = await createHold(300n)
  const refused: unknown[] = []
  const store = new PgLedgerStore({ pool: database.pool, url: database.url, onRefused: (error) => void refused.push(error) })
  const settle = async () => {
    const rows = [settlementRow(settlementOf(account, hold, 40n))]
    return await store.settle(store.encode(rows), false, rows)
  }
  try {
    expect(await settle()).toMatchObject([{ charged: 40n, balance: 960n }])
    expect(refused).toEqual([])
    await database.pool.query('ALTER FUNCTION settle_at_once RENAME TO settle_elsewhere')
    expect(await settle()).toMatchObject([{ charged: 40n, balance: 920n }])
    expect(await settle()).toMatchObject([{ charged: 40n, balance: 880n }])
    expect(refused).toHaveLength(1)
    expect(String(refused[0])).toContain('settle_at_once')
  } finally {
    await database.pool.query('ALTER FUNCTION settle_elsewhere RENAME TO settle_at_once').catch(() => undefined)
    await store.close()
  }
  hold.end(120n)
})

test('answers that are kept count towards what is kept of the last minute', () => {
  const body = Buffer.alloc(4 * 1024 * 1024)
  const row = settlementRow(settlementOf('acc', null, 0n, { answer: { key: 'k', status: 200, headers: {}, body } }))
  expect(encodeSettlements([row]).bytes).toBeGreaterThan(2 * body.byteLength)
})

test('a batch whose last bytes are lost with its connection is posted again at once, though the server does not hear of it', async () => {
  const { host, port } = new pg.Client({ connectionString: database.url })
  const serverSockets: Socket[] = []
  let dropNext = false
  // Forwards everything until it drops the end of a batch and then disconnects on one side only.
  const lossyProxy = createServer((clientSocket) => {
    const serverSocket = connect(port, host)
    serverSockets.push(serverSocket)
    serverSocket.on('data', (data) => clientSocket.write(data)).on('error', () => undefined)
    clientSocket
      .on('error', () => undefined)
      .on('data', (data: Buffer) => {
        const cut = dropNext && data.length > 1000 && data.includes(SYNC)
        serverSocket.write(cut ? data.subarray(0, -40) : data)
        if (!cut) return
        dropNext = false
        clientSocket.removeAllListeners('data').resetAndDestroy()
      })
  }).listen(0, '127.0.0.1')
  await once(lossyProxy, 'listening')
  const proxyUrl = new URL(database.url)
  proxyUrl.hostname = '127.0.0.1'
  proxyUrl.port = String((lossyProxy.address() as AddressInfo).port)
  const proxiedLedger = await openLedger(database.pool, proxyUrl.href)
  const { account, hold } = await createHold(900n)
  await proxiedLedger.committer.post(settlementOf(account, hold, 1n))
  dropNext = true
  const posts = Array.from({ length: 20 }, () => proxiedLedger.committer.post(settlementOf(account, hold, 1n)))
  const settled = await Promise.race([Promise.all(posts), sleep(15_000, null)])
  for (const socket of serverSockets) socket.destroy()
  await proxiedLedger.close()
  lossyProxy.close()
  hold.end(21n)
  expect(dropNext).toBe(false)
  expect(settled?.map(({ charged }) => charged)).toEqual(Array(20).fill(1n))
})

test('texts are recorded as they are, whatever stands in them', async () => {
  const storable = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))
  const text = fc.oneof(storable, fc.constantFrom('\\N', '\\.', 'a\tb', 'a\nb', 'a\r\nb', '\\', '"', '\\t', '', ' '))
  await fc.assert(
    fc.asyncProperty(text, fc.option(text), fc.option(text), async (modelId, errorText, finishReason) => {
      const { account, hold } = await createHold(100n)
      const attempt = { deployment: 'd', connection: modelId, model: 'm', status: 200, tookMs: 1, detail: errorText }
      const trace = [{ ...attempt, result: 'answered' as const }]
      const id = newRequestId()
      await atOnce([settlementOf(account, hold, 1n, { id, modelId, errorText, finishReason, trace })])
      hold.end(1n)
      const [record] = await recordsOf(account)
      expect(record).toMatchObject({ id, model_id: modelId, error_text: errorText, finish_reason: finishReason, trace })
    }),
    { numRuns: 60 },
  )
})
