import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chatAnswer, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { startGateway } from '../support/gateway.ts'
import { Journal } from '../support/journal.ts'
import { expectBalancedBooks } from '../support/ledger.ts'

const LEASE_LIFETIME_MS = 1_500

test('a paused process loses its lease, then wakes and settles: every answer is charged once and the books hold', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  vendor.answer(async (call) => {
    await sleep(400)
    sendJson(call, chatAnswer('ok', usageOf(1000, 500)))
  })
  const env = { LEASE_LIFE_MS: String(LEASE_LIFETIME_MS) }
  await using paused = await startGateway({ databaseUrl: database.url, env })
  await using active = await startGateway({ databaseUrl: database.url, env })
  // 20 calls at $0.0075 each. The second process spends part of it while the first one sleeps.
  const account = await addAccount(database.pool, 200_000_000n)
  const { secret } = await addKey(database.pool, account)
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
  await sleep(700)

  const journal = new Journal()
  const body = { model: 'fake/chat', max_tokens: 500 }
  const pendingCalls = Array.from({ length: 10 }, () => journal.call(paused.url, secret, body))
  await expect.poll(() => vendor.calls.length, { interval: 5, timeout: 30_000 }).toBe(10)
  paused.kill('SIGSTOP')
  await expect.poll(() => balanceOf(database.pool, account), { timeout: 30_000 }).toMatchObject({ leased: 0n })
  for (let round = 0; round < 3; round++)
    await Promise.all(Array.from({ length: 5 }, () => journal.call(active.url, secret, body)))
  paused.kill('SIGCONT')
  const answers = await Promise.all(pendingCalls)
  expect(answers.filter((answer) => answer.complete).length).toBe(10)
  const record = await database.pool.query('SELECT sum(shortfall_nano) AS shortfall FROM usage_record WHERE account_id = $1', [
    account,
  ])
  const { balance } = await balanceOf(database.pool, account)
  // 25 calls cost 187.5 million of 200 million: nothing was lost, although the lease was.
  expect({ balance, shortfall: record.rows[0].shortfall }).toEqual({ balance: 12_500_000n, shortfall: '0' })
  // It registers again by itself and admits requests.
  const callPaused = async () => (await journal.call(paused.url, secret, { ...body, max_tokens: 100 })).status
  await expect.poll(callPaused, { timeout: 30_000 }).toBe(200)
  await journal.expectBooksMatch(database.pool, account)
  await expectBalancedBooks(database.pool, LEASE_LIFETIME_MS * 2)
})
