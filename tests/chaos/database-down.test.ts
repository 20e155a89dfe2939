import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { migrate } from '#lib/store/migrate'
import { chatAnswer, sendJson, sendStream, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { addAccount, addKey, addModel } from '../support/fixtures.ts'
import { startGateway } from '../support/gateway.ts'
import { Journal } from '../support/journal.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { startServer } from '../support/server.ts'

const LEASE_LIFETIME_MS = 6_000

test('PostgreSQL is killed and comes back under load: nothing is charged that was not received, nothing is lost', async () => {
  const server = await startServer()
  const pool = new pg.Pool({ connectionString: server.url, max: 4 })
  pool.on('error', () => {})
  try {
    await migrate({ url: server.url })
    await using vendor = await startFakeVendor()
    vendor.answer(async (call) => {
      await sleep(5 + Math.random() * 40)
      if (call.body.stream) sendStream(call, ['a ', 'b ', 'c'], usageOf(100, 3))
      else sendJson(call, chatAnswer('ok', usageOf(100, 3)))
    })
    await using gateway = await startGateway({
      databaseUrl: server.url,
      env: { LEASE_LIFE_MS: String(LEASE_LIFETIME_MS), SETTLE_TIMEOUT_MS: '1500' },
    })
    const account = await addAccount(pool, 100_000_000_000n)
    const { secret } = await addKey(pool, account)
    await addModel(pool, { id: 'fake/chat', baseUrl: vendor.url })
    await sleep(700)

    const journal = new Journal()
    let running = true
    const client = async (index: number) => {
      while (running) {
        const stream = index % 2 === 0 ? { stream: true, stream_options: { include_usage: true } } : {}
        const seen = await journal.call(gateway.url, secret, { model: 'fake/chat', max_tokens: 50, ...stream })
        if (!seen.complete) await sleep(50)
      }
    }
    const clients = Array.from({ length: 24 }, (_, index) => client(index))
    for (const downMs of [300, 2_500, 800]) {
      await sleep(1_200)
      await server.kill()
      await sleep(downMs)
      await server.restart()
    }
    // Leases expired during the long outage. Afterwards the gateway admits requests again by itself.
    await sleep(LEASE_LIFETIME_MS)
    const before = journal.completed.length
    await sleep(1_000)
    expect(journal.completed.length).toBeGreaterThan(before + 50)
    running = false
    await Promise.all(clients)
    await sleep(500)
    expect(journal.completed.length).toBeGreaterThan(300)
    await journal.expectBooksMatch(pool, account)
    await expectBalancedBooks(pool, LEASE_LIFETIME_MS * 2)
  } finally {
    await pool.end()
    await server.stop()
  }
})
