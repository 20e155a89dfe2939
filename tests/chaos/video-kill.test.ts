import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startVideoVendor, type VideoVendor } from '../fakes/video-vendor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, balanceOf } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { lockPurse } from '../support/locks.ts'
import { addVideoModel, SECOND_PRICE_NANO, type VideoClient, videoClient } from '../support/videos.ts'

const LEASE_LIFETIME_MS = 2_000
const VIDEO_COST_NANO = 5n * SECOND_PRICE_NANO
const CREDIT_NANO = 20n * VIDEO_COST_NANO

let database: TestDatabase
let vendor: VideoVendor
let gateway: TestGateway

const startTestGateway = () =>
  startGateway({ databaseUrl: database.url, env: { LEASE_LIFE_MS: String(LEASE_LIFETIME_MS), LOG_LEVEL: 'warn' } })

beforeAll(async () => {
  database = await createDatabase()
  vendor = await startVideoVendor()
  gateway = await startTestGateway()
  await addVideoModel(database.pool, 'fake/video', vendor.url)
  // This kind does not know Idempotency-Key. The vendor behind it does, and would reveal a second video.
  await addVideoModel(database.pool, 'fake/plain', vendor.url, 'openai-compatible')
  await sleep(1_000)
})
afterAll(async () => {
  await gateway?.stop()
  await vendor?.[Symbol.asyncDispose]()
  await database?.drop()
})
beforeEach(() => vendor.setInitialStatus('completed'))

interface Holder {
  account: string
  secret: string
  client: VideoClient
}

/** Makes an account. Once its process has leased money, booking needs nothing from the database but its own row. */
async function addHolder(model = 'fake/video'): Promise<Holder> {
  const account = await addAccount(database.pool, CREDIT_NANO)
  const { secret } = await addKey(database.pool, account)
  return { account, secret, client: videoClient(gateway.url, secret, model) }
}

async function restartGateway({ secret }: Holder, model = 'fake/video'): Promise<VideoClient> {
  gateway = await startTestGateway()
  return videoClient(gateway.url, secret, model)
}

async function killGateway(): Promise<void> {
  gateway.kill('SIGKILL')
  await gateway.stop()
}

/** Throws unless an account was charged exactly this much, in this many records, and nothing of it is still held. */
async function expectCharged({ account }: Holder, charged: bigint, records: number): Promise<void> {
  await expect.poll(async () => (await balanceOf(database.pool, account)).leased, { timeout: 15_000 }).toBe(0n)
  expect((await balanceOf(database.pool, account)).balance).toBe(CREDIT_NANO - charged)
  const { rows } = await database.pool.query<{ n: string; sum: string }>(
    'SELECT count(*) AS n, COALESCE(sum(charged_nano), 0) AS sum FROM usage_record WHERE account_id = $1',
    [account],
  )
  expect(rows).toEqual([{ n: String(records), sum: String(charged) }])
  await expectBalancedBooks(database.pool, LEASE_LIFETIME_MS * 3)
}

const videosOf = (id: string) => vendor.videos.filter(({ key }) => key === id)

describe('kill -9, restart: a video ends right, with one charge or none', () => {
  test('while it is booked: there is none', async () => {
    const holder = await addHolder()
    // The process leases money.
    const { id } = await holder.client.create()
    await holder.client.pollUntil(id, ['completed'])
    const lock = await lockPurse(database.url, holder.account)
    const answer = holder.client.call('POST', '', { model: 'fake/video', prompt: 'x' }).then(
      ({ status }) => status,
      () => 'lost',
    )
    await lock.waitUntilBlocked('hold_for_task')
    await killGateway()
    expect(await answer).toBe('lost')
    await lock.release()
    await restartGateway(holder)
    await expectCharged(holder, VIDEO_COST_NANO, 1)
    expect((await database.pool.query('SELECT 1 FROM task WHERE account_id = $1', [holder.account])).rowCount).toBe(1)
  })

  test('while it is pending, its vendor busy', async () => {
    const holder = await addHolder()
    vendor.setBehaviour('submit', (response) => void response.writeHead(503, { 'retry-after': '1' }).end('{}'))
    const { id } = await holder.client.create()
    await expect.poll(() => vendor.calls.submit.length).toBeGreaterThan(0)
    await sleep(200)
    expect((await holder.client.retrieve(id)).status).toBe('pending')
    await killGateway()
    vendor.setBehaviour('submit', null)
    const client = await restartGateway(holder)
    expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
    expect(videosOf(id).length).toBe(1)
    await expectCharged(holder, VIDEO_COST_NANO, 1)
  })

  test('between the vendor that has begun and our note of it: it is asked again, and begins nothing anew', async () => {
    const holder = await addHolder()
    const gate = vendor.gate('submit')
    const { id } = await holder.client.create()
    await gate.reached
    await killGateway()
    gate.open()
    const client = await restartGateway(holder)
    expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
    expect(videosOf(id).length).toBe(1)
    await expectCharged(holder, VIDEO_COST_NANO, 1)
  })

  test('the same where the vendor knows no keys: it is not asked again, and nothing is charged', async () => {
    const holder = await addHolder('fake/plain')
    const gate = vendor.gate('submit')
    const { id } = await holder.client.create()
    await gate.reached
    await killGateway()
    const calls = vendor.calls.submit.length
    gate.open()
    const client = await restartGateway(holder, 'fake/plain')
    expect((await client.pollUntil(id, ['completed', 'failed'])).error).toMatch(/lost contact/)
    expect(vendor.calls.submit.length).toBe(calls)
    await expectCharged(holder, 0n, 1)
  })

  test('twice while it is submitted: a vendor is not asked a third time', async () => {
    const holder = await addHolder()
    const first = vendor.gate('submit')
    const { id } = await holder.client.create()
    await first.reached
    await killGateway()
    first.open()
    const second = vendor.gate('submit')
    await restartGateway(holder)
    await second.reached
    await killGateway()
    second.open()
    const client = await restartGateway(holder)
    expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('failed')
    await expectCharged(holder, 0n, 1)
  })

  test('between two polls', async () => {
    const holder = await addHolder()
    vendor.setInitialStatus('processing')
    const { id } = await holder.client.create()
    await holder.client.pollUntil(id, ['processing'])
    await killGateway()
    for (const video of videosOf(id)) video.status = 'completed'
    const client = await restartGateway(holder)
    expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
    await expectCharged(holder, VIDEO_COST_NANO, 1)
  })

  test.each(['poll', 'download'] as const)('during the %s', async (stage) => {
    const holder = await addHolder()
    const gate = vendor.gate(stage)
    const { id } = await holder.client.create()
    await gate.reached
    await killGateway()
    gate.open()
    const client = await restartGateway(holder)
    expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
    await expectCharged(holder, VIDEO_COST_NANO, 1)
  })

  test('between the video that is stored and the charge', async () => {
    const holder = await addHolder()
    const gate = vendor.gate('download')
    const { id } = await holder.client.create()
    await gate.reached
    const lock = await lockPurse(database.url, holder.account)
    gate.open()
    await lock.waitUntilBlocked('settle')
    await killGateway()
    await lock.release()
    const client = await restartGateway(holder)
    const task = await client.pollUntil(id, ['completed', 'failed'])
    expect(task.status).toBe('completed')
    await expectCharged(holder, VIDEO_COST_NANO, 1)
  })

  test('while its vendor is told to stop: it is told again', async () => {
    const holder = await addHolder()
    vendor.setInitialStatus('processing')
    const { id } = await holder.client.create()
    await holder.client.pollUntil(id, ['processing'])
    const gate = vendor.gate('cancel')
    expect((await holder.client.call('POST', `/${id}/cancel`)).task.status).toBe('failed')
    await gate.reached
    await killGateway()
    gate.open()
    const calls = vendor.calls.cancel.length
    const client = await restartGateway(holder)
    await expect.poll(() => vendor.calls.cancel.length, { timeout: 20_000 }).toBe(calls + 1)
    expect((await client.retrieve(id)).status).toBe('failed')
    await expectCharged(holder, 0n, 1)
  })

  test('while another process lives: it goes on there, without a restart', async () => {
    const holder = await addHolder()
    await using other = await startTestGateway()
    const gate = vendor.gate('poll')
    const ids = await Promise.all(Array.from({ length: 12 }, async () => (await holder.client.create()).id))
    await gate.reached
    gate.open()
    await killGateway()
    const client = videoClient(other.url, holder.secret, 'fake/video')
    for (const id of ids) expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
    await expectCharged(holder, 12n * VIDEO_COST_NANO, 12)
    gateway = await startTestGateway()
  })

  test('a process that was only paused, and taken for dead, writes nothing any more', async () => {
    const holder = await addHolder()
    const gate = vendor.gate('download')
    const { id } = await holder.client.create()
    await gate.reached
    gateway.kill('SIGSTOP')
    await using other = await startTestGateway()
    const client = videoClient(other.url, holder.secret, 'fake/video')
    gate.open()
    expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
    gateway.kill('SIGCONT')
    await sleep(1_500)
    await expectCharged(holder, VIDEO_COST_NANO, 1)
    expect(gateway.log()).not.toMatch(/an unexpected error|uncaught error/)
  })
})
