import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { isRunning } from '#lib/store/embedded/postmaster'
import { chatAnswer, holdAnswers, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel } from '../support/fixtures.ts'
import { startGateway, waitUntilModelKnown } from '../support/gateway.ts'
import { RawConnection } from '../support/raw-client.ts'
import { startServer } from '../support/server.ts'

test('a process that is asked to stop does not wait for connections on which nothing was ever asked', async () => {
  await using database = await createDatabase()
  const gateway = await startGateway({ databaseUrl: database.url })
  // As load balancers and connection pools keep them ready.
  const idleConnections = await Promise.all([1, 2, 3].map(() => RawConnection.open(gateway.url)))
  await sleep(100)
  const started = performance.now()
  const code = await gateway.stop()
  expect({ code, quick: performance.now() - started < 5000 }).toEqual({ code: 0, quick: true })
  for (const connection of idleConnections) connection.destroy()
})

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  'by %s a process lets what is under way finish, though nobody reads any more what it prints',
  async (signal) => {
    await using database = await createDatabase()
    await using vendor = await startFakeVendor()
    await using gateway = await startGateway({ databaseUrl: database.url })
    const { secret } = await addKey(database.pool, await addAccount(database.pool, 100_000_000_000n))
    await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
    const finish = holdAnswers(vendor, (call) => sendJson(call, chatAnswer('all of it')))
    await waitUntilModelKnown(gateway.url, secret, 'fake/chat')
    const inFlightRequest = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'fake/chat', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    await expect.poll(() => vendor.calls.length).toBe(1)
    gateway.closeOutput()
    gateway.kill(signal)
    // An uncaught error would end the process after two seconds.
    await sleep(3000)
    finish()
    expect(await (await inFlightRequest).text()).toContain('all of it')
    await expect.poll(() => isRunning(gateway.pid), { timeout: 30_000 }).toBe(false)
    expect(await gateway.stop()).toBe(0)
  },
)

test('a process that is asked to stop while charges wait for the database gives up before it is killed', async () => {
  const server = await startServer()
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  pool.on('error', () => undefined)
  try {
    await using vendor = await startFakeVendor()
    vendor.answer(async (call) => {
      await server.kill()
      sendJson(call, chatAnswer('ok'))
    })
    await using gateway = await startGateway({ databaseUrl: server.url, env: { SETTLE_TIMEOUT_MS: '500', DRAIN_MS: '2000' } })
    const { secret } = await addKey(pool, await addAccount(pool, 100_000_000_000n))
    await addModel(pool, { id: 'fake/chat', baseUrl: vendor.url })
    await waitUntilModelKnown(gateway.url, secret, 'fake/chat')
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'fake/chat', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(answer.status).toBe(503)
    const started = performance.now()
    gateway.kill('SIGTERM')
    await expect.poll(() => isRunning(gateway.pid), { timeout: 90_000, interval: 200 }).toBe(false)
    // Its limit is 13 s after DRAIN_MS, and a machine that runs tests is often late.
    expect(performance.now() - started).toBeLessThan(32_000)
    expect(await gateway.stop()).toBe(1)
    expect(gateway.log()).toMatch(/"count":[12],"msg":"charges waiting for the database were abandoned/)
  } finally {
    await pool.end()
    await server.stop()
  }
}, 180_000)
