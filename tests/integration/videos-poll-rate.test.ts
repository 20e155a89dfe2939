import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startVideoVendor } from '../fakes/video-vendor.ts'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, balanceOf } from '../support/fixtures.ts'
import { startGateway, waitUntilModelKnown } from '../support/gateway.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { addVideoModel, SECOND_PRICE_NANO, type VideoClient, videoClient } from '../support/videos.ts'

const MODEL = 'fake/video'
const TASKS = 1000
const PER_SECOND = 20
const WATCHED_MS = 12_000
/** Slots that were not used recently, and those of a poll that came late. */
const SLACK = 3 * PER_SECOND

/** The most calls within any period of this many milliseconds. */
function maxCallsWithin(times: readonly number[], ms: number): number {
  let first = 0
  let maxCalls = 0
  for (const [at, time] of times.entries()) {
    while (time - (times[first] ?? 0) >= ms) first++
    maxCalls = Math.max(maxCalls, at - first + 1)
  }
  return maxCalls
}

/** Begins a video. A process whose leases answer too late refuses requests for a moment, and says when to retry. */
async function begin(client: VideoClient): Promise<void> {
  for (;;) {
    const { status, headers, text } = await client.call('POST', '', { model: MODEL, prompt: 'A paper boat on a stream.' })
    if (status === 200) return
    expect(status, text).toBe(503)
    await sleep(Number(headers.get('retry-after')) * 1000)
  }
}

test('1,000 tasks under way in two processes poll their vendor 20 times a second, and no more after a pause', async () => {
  await using database = await createDatabase()
  await using vendor = await startVideoVendor()
  vendor.setInitialStatus('processing')
  const { pool } = database
  const env = { VIDEO_POLLS_PER_SECOND: String(PER_SECOND), LEASE_LIFE_MS: '6000', LOG_LEVEL: 'warn' }
  await using one = await startGateway({ databaseUrl: database.url, env })
  await using two = await startGateway({ databaseUrl: database.url, env })
  const account = await addAccount(pool, BigInt(TASKS) * 5n * SECOND_PRICE_NANO)
  const { secret } = await addKey(pool, account)
  await addVideoModel(pool, MODEL, vendor.url)
  for (const { url } of [one, two]) await waitUntilModelKnown(url, secret, MODEL)
  const clients = [one, two].flatMap(({ url }) => Array.from({ length: 10 }, () => videoClient(url, secret, MODEL)))
  await Promise.all(
    clients.map(async (client) => {
      for (let begun = 0; begun < TASKS / clients.length; begun++) await begin(client)
    }),
  )
  const count = async () => Number((await pool.query(`SELECT count(*) FROM task WHERE state = 'processing'`)).rows[0]?.count)
  await expect.poll(count, { timeout: 30_000 }).toBe(TASKS)

  // Every task is due for a poll each second, as the vendor asks: a thousand polls a second.
  const watch = async () => {
    vendor.calls.poll.length = 0
    const begun = performance.now()
    await sleep(WATCHED_MS)
    const times = [...vendor.calls.poll]
    // On a busy machine a pause is longer than asked for.
    const watchedMs = performance.now() - begun
    expect(times.length).toBeGreaterThan((PER_SECOND * WATCHED_MS) / 1000 / 2)
    expect(times.length).toBeLessThanOrEqual((PER_SECOND * watchedMs) / 1000 + SLACK)
    expect(maxCallsWithin(times, 1000)).toBeLessThanOrEqual(PER_SECOND + SLACK)
  }
  await watch()
  // While nobody polls, all tasks become due. The pause is longer than a process keeps its leases.
  await one.stop()
  two.kill('SIGSTOP')
  await sleep(8_000)
  two.kill('SIGCONT')
  await watch()
  const { leased } = await balanceOf(pool, account)
  expect(leased).toBe(BigInt(TASKS) * 5n * SECOND_PRICE_NANO)
  await expectBalancedBooks(pool)
  expect(two.log()).not.toMatch(/"level":50|an unexpected error/)
}, 240_000)
