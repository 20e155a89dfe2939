import { setTimeout as sleep } from 'node:timers/promises'
import { BufferSource, Input, MP4 } from 'mediabunny'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type VideoClient, videoClient } from '../support/videos.ts'

let database: TestDatabase
let gateway: TestGateway

beforeAll(async () => {
  database = await createDatabase()
  gateway = await startGateway({ databaseUrl: database.url })
})
afterAll(async () => {
  await expectBalancedBooks(database.pool)
  await gateway?.stop()
  await database?.drop()
})

const CREDIT = 1_000_000_000n

async function createClient(model: string, url = gateway.url, pool: pg.Pool = database.pool) {
  const account = await addAccount(pool, CREDIT)
  const { secret } = await addKey(pool, account)
  return { account, secret, client: videoClient(url, secret, model) }
}

async function downloadVideo(client: VideoClient, id: string) {
  const { video_url: url = '', ...task } = await client.pollUntil(id, ['completed', 'failed'])
  const answer = await fetch(url)
  expect(answer.headers.get('content-type')).toBe('video/mp4')
  const input = new Input({ source: new BufferSource(await answer.arrayBuffer()), formats: [MP4] })
  const track = await input.getPrimaryVideoTrack()
  return { task, seconds: await input.computeDuration(), size: [await track?.getDisplayWidth(), await track?.getDisplayHeight()] }
}

test.each([
  ['sandbox/video', 5, [360, 640]],
  ['sandbox/video-landscape', 10, [640, 360]],
])('%s makes a video of %i seconds that lies as its name says', async (model, duration, size) => {
  const { account, client } = await createClient(model)
  const { id } = await client.create({ duration })
  const video = await downloadVideo(client, id)
  expect(video).toMatchObject({ seconds: duration, size, task: { status: 'completed', usage: { cost: duration / 100 } } })
  expect((await balanceOf(database.pool, account)).balance).toBe(CREDIT - BigInt(duration) * 10_000_000n)
})

test('sandbox/error-video fails at no cost, and sandbox/error-video-stuck can be cancelled', async () => {
  const { account, client } = await createClient('sandbox/error-video')
  const { id } = await client.create()
  expect((await client.pollUntil(id, ['completed', 'failed'])).error).toMatch(/simulated/)
  const stuck = await client.create({ model: 'sandbox/error-video-stuck' })
  await client.pollUntil(stuck.id, ['processing'])
  expect((await client.call('POST', `/${stuck.id}/cancel`)).task.status).toBe('failed')
  expect((await balanceOf(database.pool, account)).balance).toBe(CREDIT)
})

test('one gateway is a vendor of another', async () => {
  const below = await createClient('sandbox/video')
  await using upper = await createDatabase()
  await using front = await startGateway({ databaseUrl: upper.url })
  await addModel(upper.pool, {
    id: 'below/video',
    baseUrl: `${gateway.url}/v1`,
    upstreamModel: 'sandbox/video',
    kind: 'tollgate',
    secret: below.secret,
    modality: 'video',
    units: { video_second: '20000000000000' },
    facts: { durations: [5, 10, 15, 20] },
  })
  await sleep(700)
  const { account, client } = await createClient('below/video', front.url, upper.pool)
  const { id } = await client.create({ duration: 5 })
  const video = await downloadVideo(client, id)
  expect(video).toMatchObject({ seconds: 5, task: { status: 'completed', usage: { cost: 0.1 } } })
  expect((await balanceOf(upper.pool, account)).balance).toBe(CREDIT - 100_000_000n)
  expect((await balanceOf(database.pool, below.account)).balance).toBe(CREDIT - 50_000_000n)

  const stuck = await client.create({ duration: 20 })
  await client.pollUntil(stuck.id, ['processing'])
  await client.call('POST', `/${stuck.id}/cancel`)
  const states = async () =>
    (
      await database.pool.query<{ state: string }>('SELECT state FROM task WHERE account_id = $1 ORDER BY created_at', [
        below.account,
      ])
    ).rows
  await expect.poll(states, { timeout: 10_000 }).toEqual([{ state: 'completed' }, { state: 'failed' }])
  expect((await balanceOf(database.pool, below.account)).balance).toBe(CREDIT - 50_000_000n)
  await expectBalancedBooks(upper.pool)
})
