import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chatAnswer, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { startVideoVendor } from '../fakes/video-vendor.ts'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { startGateway } from '../support/gateway.ts'
import { Journal } from '../support/journal.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { lockPurse } from '../support/locks.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { addVideoModel, SECOND_PRICE_NANO, videoClient } from '../support/videos.ts'

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

/** Keeps videos from being ended without a charge, as a database that stumbles would. */
const STUMBLE = `
  CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '40001'; END $$;
  CREATE TRIGGER stumble BEFORE UPDATE OF state ON task FOR EACH ROW WHEN (NEW.state = 'failed') EXECUTE FUNCTION stumble()`

test.each([
  ['processing', 'failed', 0],
  ['completed', 'completed', 1],
] as const)(
  'a video is booked after its client was refused, and is %s when the gateway is killed: nothing is paid for it',
  async (atVendor, state, reversals) => {
    await using database = await createDatabase()
    const { pool } = database
    await using vendor = await startVideoVendor()
    vendor.setInitialStatus(atVendor)
    const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-gateway-'))
    const env = { LEASE_LIFE_MS: '2000', SETTLE_TIMEOUT_MS: '2000', DATA_DIR: dataDir }
    const first = await startGateway({ databaseUrl: database.url, env })
    const credit = 1000n * SECOND_PRICE_NANO
    const account = await addAccount(pool, credit)
    const { secret } = await addKey(pool, account)
    await addVideoModel(pool, 'fake/video', vendor.url)
    await sleep(1000)
    const client = videoClient(first.url, secret, 'fake/video')
    // Its process leases more money than it needs, so it holds without asking the database.
    const warm = await client.create()
    await client.call('POST', `/${warm.id}/cancel`)
    const spent = credit - (await balanceOf(pool, account)).balance
    await pool.query(STUMBLE)
    const lock = await lockPurse(database.url, account)
    const refusal = await client.call('POST', '', { model: 'fake/video', prompt: 'A glacier.' })
    expect([refusal.status, refusal.text]).toEqual([503, expect.stringContaining('Nothing is charged for this request')])
    await lock.release()
    const stateOf = async () =>
      (await pool.query<{ state: string }>('SELECT state FROM task WHERE id <> $1', [warm.id])).rows[0]?.state
    await expect.poll(stateOf, { timeout: 30_000 }).toBe(atVendor)
    first.kill('SIGKILL')
    await pool.query('DROP TRIGGER stumble ON task')

    await using _second = await startGateway({ databaseUrl: database.url, env })
    const given = () => pool.query(`SELECT 1 FROM entry WHERE kind = 'reversal'`).then((found) => found.rowCount)
    await expect.poll(async () => [await stateOf(), await given()], { timeout: 30_000 }).toEqual([state, reversals])
    await expect.poll(() => balanceOf(pool, account), { timeout: 30_000 }).toMatchObject({ balance: credit - spent, leased: 0n })
    await expectBalancedBooks(pool, 4000)
    await rm(dataDir, { recursive: true, force: true })
  },
)
