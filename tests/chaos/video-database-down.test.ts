import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startVideoVendor } from '../fakes/video-vendor.ts'
import { addAccount, addKey, balanceOf } from '../support/fixtures.ts'
import { startGateway } from '../support/gateway.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { startServer } from '../support/server.ts'
import { addVideoModel, SECOND_PRICE_NANO, videoClient } from '../support/videos.ts'

const VIDEO_COST_NANO = 5n * SECOND_PRICE_NANO

test('PostgreSQL is killed while videos are at every stage: each of them ends right, and the work goes on', async () => {
  const server = await startServer()
  const pool = new pg.Pool({ connectionString: server.url, max: 4 })
  pool.on('error', () => {})
  try {
    await using vendor = await startVideoVendor()
    await using gateway = await startGateway({ databaseUrl: server.url, env: { LEASE_LIFE_MS: '4000' } })
    const account = await addAccount(pool, 100n * VIDEO_COST_NANO)
    const { secret } = await addKey(pool, account)
    await addVideoModel(pool, 'fake/video', vendor.url)
    await sleep(1_000)
    const client = videoClient(gateway.url, secret, 'fake/video')
    const ids: string[] = []
    let lastError: unknown = null
    for (const downMs of [300, 6_000, 1_000]) {
      // When it goes away, some are being submitted, some polled, and some finished.
      for (let at = 0; at < 8; at++) {
        ids.push((await client.create()).id)
        await sleep(150)
      }
      await server.kill()
      await sleep(downMs)
      await server.restart()
      // Leases expired during the long outage. Afterwards the gateway admits requests again by itself.
      await expect
        .poll(
          () =>
            client.create().then(
              ({ id }) => ids.push(id),
              (error: unknown) => {
                lastError = error
                return 0
              },
            ),
          { timeout: 60_000, interval: 200 },
        )
        .toBeGreaterThan(0)
        .catch((error: unknown) => {
          throw new Error(`nothing is begun after an outage: ${String(lastError)}\n${gateway.log().slice(-4000)}`, {
            cause: error,
          })
        })
    }
    for (const id of ids) expect((await client.pollUntil(id, ['completed', 'failed'], 60_000)).status).toBe('completed')
    expect(vendor.videos.length).toBe(ids.length)
    await expect
      .poll(async () => (await balanceOf(pool, account)).balance)
      .toBe(100n * VIDEO_COST_NANO - BigInt(ids.length) * VIDEO_COST_NANO)
    await expectBalancedBooks(pool, 12_000)
    expect(gateway.log()).not.toMatch(/an unexpected error|uncaught error/)
  } finally {
    await pool.end()
    await server.stop()
  }
})
