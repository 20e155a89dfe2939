import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chatAnswer, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { startGateway } from '../support/gateway.ts'
import { Journal } from '../support/journal.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

test('a charge gets through and its answer does not, the client is refused, the gateway is killed: the next start gives it back', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  const proxiedUrl = new URL(database.url)
  const port = Number(proxiedUrl.port)
  await using proxy = await startTcpProxy(() => port)
  proxiedUrl.port = String(proxy.port)
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-gateway-'))
  const env = { LEASE_LIFE_MS: '2000', SETTLE_TIMEOUT_MS: '3000', DATA_DIR: dataDir }
  const first = await startGateway({ databaseUrl: proxiedUrl.href, env })
  const account = await addAccount(database.pool, 1_000_000_000n)
  const { secret } = await addKey(database.pool, account)
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
  await sleep(700)
  const journal = new Journal()
  const body = { model: 'fake/chat', max_tokens: 100 }
  expect((await journal.call(first.url, secret, body)).complete).toBe(true)
  vendor.answer((call) => {
    // The database receives everything, but its answers are lost.
    proxy.setMuted(true)
    sendJson(call, chatAnswer('ok', usageOf(100, 50)))
  })
  expect((await journal.call(first.url, secret, body)).status).toBe(503)
  const charged = 'SELECT count(*)::int AS n FROM usage_record WHERE account_id = $1 AND charged_nano > 0'
  expect((await database.pool.query(charged, [account])).rows[0]?.n).toBe(2)
  first.kill('SIGKILL')
  proxy.setMuted(false)

  await using _second = await startGateway({ databaseUrl: database.url, env })
  await expect
    .poll(() => database.pool.query(`SELECT 1 FROM entry WHERE kind = 'reversal'`).then((it) => it.rowCount), { timeout: 30_000 })
    .toBe(1)
  await journal.expectBooksMatch(database.pool, account)
  await expect.poll(() => balanceOf(database.pool, account), { timeout: 30_000 }).toMatchObject({ leased: 0n })
  await expectBalancedBooks(database.pool, 4000)
  await rm(dataDir, { recursive: true, force: true })
})
