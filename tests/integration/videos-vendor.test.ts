import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { type Behaviour, sendBody, startVideoVendor, type VideoVendor } from '../fakes/video-vendor.ts'
import { openVideoWorld } from '../fakes/video-world.ts'
import { addDeployment, inOneTransaction } from '../support/fixtures.ts'
import { addVideoModel, videoClient } from '../support/videos.ts'

let world: ApiWorld
let vendor: VideoVendor
let close = async () => {}

beforeAll(async () => {
  ;({ world, vendor, close } = await openVideoWorld())
})

afterAll(() => close())

const createClient = async (options = {}) => {
  const holder = await world.holder(options)
  return { holder, client: videoClient(world.url, holder.secret, 'fake/video') }
}

/** Runs something while the vendor's new videos begin with this status. */
async function withInitialStatus(status: 'processing' | 'failed', run: () => Promise<void>): Promise<void> {
  vendor.setInitialStatus(status)
  try {
    await run()
  } finally {
    vendor.setInitialStatus('completed')
  }
}

describe('what goes wrong with the vendor', () => {
  test('it fails: its words, no charge', async () => {
    const { holder, client } = await createClient()
    await withInitialStatus('failed', async () => {
      const { id } = await client.create()
      const task = await client.pollUntil(id, ['completed', 'failed'])
      expect(task).toMatchObject({ status: 'failed', error: 'The scene was too long.', usage: { video_seconds: 0, cost: 0 } })
      expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n, errorText: task.error })
      await world.expectSettledBooks(holder, 1)
    })
  })

  test('it does not take the prompt: its words, and it is not asked again', async () => {
    const { holder, client } = await createClient()
    vendor.setBehaviour('submit', (response) => sendBody(response, 400, { error: { message: 'No boats, please.' } }))
    const calls = vendor.calls.submit.length
    const { id } = await client.create()
    expect((await client.pollUntil(id, ['failed'])).error).toMatch(/No boats, please/)
    expect(vendor.calls.submit.length).toBe(calls + 1)
    vendor.setBehaviour('submit', null)
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1:5432/',
    'file:///etc/passwd',
    'http://[::ffff:10.0.0.1]/x',
  ])('it points at %s: nothing is fetched, nothing charged', async (url) => {
    const { holder, client } = await createClient()
    vendor.setBehaviour('poll', (response, video) =>
      sendBody(response, 200, { id: video?.id, status: 'completed', video_url: url }),
    )
    const { id } = await client.create()
    const task = await client.pollUntil(id, ['completed', 'failed'])
    vendor.setBehaviour('poll', null)
    expect(task.status).toBe('failed')
    expect(JSON.stringify(task)).not.toContain('169.254')
    await world.expectSettledBooks(holder, 1)
  })

  test.each<[string, Behaviour]>([
    ['a page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>')],
    ['nothing', (response) => void response.writeHead(200, { 'content-type': 'video/mp4' }).end()],
  ])('it hands over %s instead of a video', async (_what, behaviour) => {
    const { holder, client } = await createClient()
    vendor.setBehaviour('download', behaviour)
    const { id } = await client.create()
    expect((await client.pollUntil(id, ['completed', 'failed'])).error).toMatch(/not a video/)
    vendor.setBehaviour('download', null)
    await world.expectSettledBooks(holder, 1)
  })

  test('it fails to answer for a while: polls, the download', async () => {
    const { holder, client } = await createClient()
    const wrong: Behaviour[] = [
      (response) => sendBody(response, 500, {}),
      (response) => void response.writeHead(200).end('no JSON'),
    ]
    vendor.setBehaviour('poll', (response, video) => {
      const next = wrong.shift()
      if (wrong.length === 0) vendor.setBehaviour('poll', null)
      return next?.(response, video)
    })
    const { id } = await client.create()
    vendor.setBehaviour('download', (response) => {
      vendor.setBehaviour('download', null)
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': '1000' })
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    })
    const task = await client.pollUntil(id, ['completed', 'failed'], 60_000)
    expect(task.status).toBe('completed')
    await world.expectSettledBooks(holder, 1)
  })

  test('its answer to the submit is lost: asked once more, because it knows the key; one video, one charge', async () => {
    const { holder, client } = await createClient()
    vendor.setBehaviour('submit', null)
    const lost = vendor.gate('submit')
    const { id } = await client.create()
    await lost.reached
    vendor.setBehaviour('submit', (response) => {
      vendor.setBehaviour('submit', null)
      response.destroy()
    })
    lost.open()
    expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
    expect(vendor.videos.filter(({ key }) => key === id).length).toBe(1)
    const { trace } = await world.record(holder.accountId)
    expect(trace.map(({ result }) => result)).toEqual(['broken', 'answered'])
    await world.expectSettledBooks(holder, 1)
  })

  test('and where that answer is lost too: failed, and not asked a third time', async () => {
    const { holder, client } = await createClient()
    vendor.setBehaviour('submit', (response) => void response.destroy())
    const calls = vendor.calls.submit.length
    const { id } = await client.create()
    const task = await client.pollUntil(id, ['completed', 'failed'])
    vendor.setBehaviour('submit', null)
    expect(task.error).toMatch(/lost contact/)
    expect(vendor.calls.submit.length).toBe(calls + 2)
    await world.expectSettledBooks(holder, 1)
  })

  test('the same, from a vendor that does not know keys: failed, and not asked again', async () => {
    await using plain = await startVideoVendor({ idempotent: false })
    await addVideoModel(world.pool, 'fake/plain-video', plain.url, 'openai-compatible')
    await untilModelKnown(world, 'fake/plain-video')
    const holder = await world.holder()
    const client = videoClient(world.url, holder.secret, 'fake/plain-video')
    plain.setBehaviour('submit', (response) => void response.destroy())
    const { id } = await client.create()
    expect((await client.pollUntil(id, ['completed', 'failed'])).error).toMatch(/lost contact/)
    expect(plain.calls.submit.length).toBe(1)
    await world.expectSettledBooks(holder, 1)
  })

  test('the first deployment has begun as many in this minute as it may, the second begins the next one', async () => {
    await using paced = await startVideoVendor()
    await inOneTransaction(world.pool, async (pool) => {
      await addVideoModel(pool, 'fake/paced', paced.url)
      await pool.query(`update deployment set requests_per_minute = 1 where model_id = 'fake/paced'`)
      await addDeployment(pool, 'fake/paced', { baseUrl: vendor.url, kind: 'tollgate', priority: 1 })
    })
    await untilModelKnown(world, 'fake/paced')
    const holder = await world.holder()
    const client = videoClient(world.url, holder.secret, 'fake/paced')
    for (let n = 0; n < 2; n++) {
      const { id } = await client.create()
      expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
    }
    expect(paced.calls.submit.length).toBe(1)
    const records = await world.records(holder.accountId, 2)
    expect(records.map(({ trace }) => trace.map(({ result }) => result))).toEqual([['answered'], ['answered']])
    await world.expectSettledBooks(holder, 2)
  })

  test('the first deployment refuses, the second begins', async () => {
    await using broken = await startVideoVendor()
    broken.setBehaviour('submit', (response) => sendBody(response, 500, {}))
    await inOneTransaction(world.pool, async (pool) => {
      await addVideoModel(pool, 'fake/two', broken.url)
      await addDeployment(pool, 'fake/two', { baseUrl: vendor.url, kind: 'tollgate', priority: 1 })
    })
    await untilModelKnown(world, 'fake/two')
    const holder = await world.holder()
    const client = videoClient(world.url, holder.secret, 'fake/two')
    const { id } = await client.create()
    expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
    const { trace } = await world.record(holder.accountId)
    expect(trace.map(({ result }) => result)).toEqual(['failed', 'answered'])
    await world.expectSettledBooks(holder, 1)
  })
})

test('a video that became shorter than it was asked for costs what it became; longer, or no length at all, what was asked for', async () => {
  const holder = await world.holder({}, 1_100_000_000n)
  const client = videoClient(world.url, holder.secret, 'fake/video')
  vendor.setBehaviour('poll', (response, video) => {
    const video_seconds = Number(video?.body.prompt)
    const video_url = `${new URL(vendor.url).origin}/files/${video?.id}.mp4`
    sendBody(response, 200, { id: video?.id, status: 'completed', video_url, usage: { video_seconds } })
  })
  const charged = async (reportedSeconds: number) => {
    const { id } = await client.create({ prompt: String(reportedSeconds), duration: 10 })
    const { usage } = await client.pollUntil(id, ['completed', 'failed'])
    return [reportedSeconds, usage?.video_seconds, usage?.cost]
  }
  const ends = await Promise.all([60, 4, 4.5, -3, 0].map(charged))
  vendor.setBehaviour('poll', null)
  expect(ends).toEqual([
    [60, 10, 0.2],
    [4, 4, 0.08],
    [4.5, 10, 0.2],
    [-3, 10, 0.2],
    [0, 10, 0.2],
  ])
  await world.expectSettledBooks(holder, 5)
})
