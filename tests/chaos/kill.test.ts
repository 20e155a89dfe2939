import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chatChunk, sendEvent, startFakeVendor, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { freePort, startGateway, waitUntilModelKnown } from '../support/gateway.ts'
import { Journal } from '../support/journal.ts'
import { expectBalancedBooks } from '../support/ledger.ts'

const STREAMS = 200
const LEASE_LIFETIME_MS = 2_000

test('kill -9 during 200 streams: what was received is charged, nothing stays held, and the next start goes on', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  let delayMs = 5
  vendor.answer(async (call) => {
    startStream(call)
    for (let piece = 0; piece < 20 && !call.response.destroyed; piece++) {
      sendEvent(call, chatChunk('word '))
      await sleep(delayMs)
    }
    sendEvent(call, chatChunk(null, 'stop'))
    sendEvent(call, usageChunk(usageOf(100, 20)))
    sendEvent(call, '[DONE]')
    call.response.end()
    // Later streams take longer, so that the kill finds streams at every stage.
    delayMs += 1
  })
  const port = await freePort()
  const env = { LEASE_LIFE_MS: String(LEASE_LIFETIME_MS) }
  const first = await startGateway({ databaseUrl: database.url, port, env })
  const account = await addAccount(database.pool, 10_000_000_000n)
  const { secret } = await addKey(database.pool, account)
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
  await waitUntilModelKnown(first.url, secret, 'fake/chat')

  const journal = new Journal()
  const body = { model: 'fake/chat', stream: true, stream_options: { include_usage: true }, max_tokens: 100 }
  const all = Array.from({ length: STREAMS }, async (_, index) => {
    await sleep(index * 4)
    await journal.call(first.url, secret, body)
  })
  // In the middle of the run, however fast the machine is.
  await expect.poll(() => journal.completed.length, { interval: 5, timeout: 60_000 }).toBeGreaterThan(10)
  first.kill('SIGKILL')
  await Promise.all(all)
  expect(journal.completed.length).toBeLessThan(STREAMS - 10)
  expect((await balanceOf(database.pool, account)).leased).toBeGreaterThan(0n)

  await using second = await startGateway({ databaseUrl: database.url, port, env })
  await expect.poll(() => balanceOf(database.pool, account), { timeout: 30_000 }).toMatchObject({ leased: 0n })
  await journal.expectBooksMatch(database.pool, account)
  await expectBalancedBooks(database.pool, LEASE_LIFETIME_MS * 2)
  expect((await journal.call(second.url, secret, body)).complete).toBe(true)
  await journal.expectBooksMatch(database.pool, account)
})
