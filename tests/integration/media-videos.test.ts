import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { VIDEO_ROWS, type VideoEnd } from '../fakes/kinds/video-rows.ts'
import { type Call, type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { VIDEO_BYTES } from '../fakes/video-vendor.ts'
import { addModel } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { SECOND_PRICE_NANO, videoClient } from '../support/videos.ts'

const SECRET = 'video-secret-Mn7bVc2x'
type Kind = keyof typeof VIDEO_ROWS
const KINDS = Object.keys(VIDEO_ROWS) as Kind[]

/** A vendor is polled every few seconds, and less often if it had trouble. */
const WAIT_MS = 60_000

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(async () => {
  await expectBalancedBooks(world.pool)
  await world[Symbol.asyncDispose]()
})

const originOf = (vendor: FakeVendor): string => new URL(vendor.url).origin
const sendVideo = ({ response }: Call): void => void response.writeHead(200, { 'content-type': 'video/mp4' }).end(VIDEO_BYTES)

/** Adds a model to the gateway, which need not know it yet. */
const addVideo = (id: string, kind: Kind, vendor: FakeVendor, durations: number[]) =>
  addModel(world.pool, {
    id,
    kind,
    upstreamModel: VIDEO_ROWS[kind].upstreamModel,
    baseUrl: originOf(vendor),
    secret: SECRET,
    modality: 'video',
    units: { video_second: String(SECOND_PRICE_NANO * 1_000_000n) },
    facts: { durations },
  })

/** The course of a vendor's work: it has started, is polled this many times, and then ends like this. */
interface VideoJob {
  polls: number
  outcome: VideoEnd
}

/** Makes a vendor work like this. `trouble` is the status of the first poll. */
function simulateVendor(vendor: FakeVendor, kind: Kind, { polls, outcome }: VideoJob, trouble?: number): void {
  const { startReply, pollReply } = VIDEO_ROWS[kind]
  let pollCount = 0
  vendor.answer((call) => {
    if (call.path.startsWith('/film')) return sendVideo(call)
    if (call.request.method === 'POST') return sendJson(call, startReply(originOf(vendor)))
    pollCount++
    if (trouble !== undefined && pollCount === 1) return sendJson(call, { error: { message: 'busy' }, detail: 'busy' }, trouble)
    const [status, body] = pollReply(originOf(vendor), pollCount > polls ? outcome : null)
    sendJson(call, body, status)
  })
}

/** Begins a video of a model of its own. */
async function begin(kind: Kind, vendor: FakeVendor) {
  const model = `video/${kind}-${randomUUID()}`
  await addVideo(model, kind, vendor, [5, 10])
  await untilModelKnown(world, model)
  const holder = await world.holder()
  const client = videoClient(world.url, holder.secret, model)
  const { id } = await client.create({ duration: 5 })
  return { holder, waitForEnd: () => client.pollUntil(id, ['completed', 'failed'], WAIT_MS) }
}

// Most of the time passes between two polls, so these tests run at the same time, each with a vendor of its own.
describe.concurrent.each(KINDS)('%s', { timeout: WAIT_MS }, (kind) => {
  test('makes a video, which is begun once, looked at until it is done, whatever trouble there is, and paid once', async () => {
    await using vendor = await startFakeVendor()
    simulateVendor(vendor, kind, { polls: 1, outcome: 'made' }, 503)
    const { holder, waitForEnd } = await begin(kind, vendor)
    const task = await waitForEnd()
    expect(task).toMatchObject({ status: 'completed', usage: { video_seconds: 5 } })
    expect(Buffer.from(await (await fetch(task.video_url ?? '')).arrayBuffer())).toEqual(VIDEO_BYTES)
    expect(vendor.posts).toHaveLength(1)
    expect(vendor.posts[0]).toMatchObject(VIDEO_ROWS[kind].begins)
    for (const call of vendor.calls.filter(({ path }) => !path.startsWith('/film')))
      expect(JSON.stringify(call.headers)).toContain(SECRET)
    expect((await world.record(holder.accountId)).charged).toBe(SECOND_PRICE_NANO * 5n)
    await world.expectSettledBooks(holder, 1)
  })

  test('that it fails costs nothing, and says why', async () => {
    await using vendor = await startFakeVendor()
    simulateVendor(vendor, kind, { polls: 0, outcome: 'failed' })
    const { holder, waitForEnd } = await begin(kind, vendor)
    const task = await waitForEnd()
    expect(task.status).toBe('failed')
    expect(task.error).toMatch(/unsafe/)
    expect((await world.record(holder.accountId)).charged).toBe(0n)
    await world.expectSettledBooks(holder, 1)
  })

  test('what the vendor does not take is refused in its words, and asked once', async () => {
    await using vendor = await startFakeVendor()
    vendor.answer((call) =>
      sendJson(call, { error: { code: 422, message: 'No boats, please.', status: 'x' }, detail: 'No boats, please.' }, 422),
    )
    const { holder, waitForEnd } = await begin(kind, vendor)
    expect((await waitForEnd()).error).toMatch(/No boats, please/)
    expect(vendor.calls.length).toBe(1)
    await world.expectSettledBooks(holder, 1)
  })
})

// A pair is one model twice: portrait and landscape.
test.concurrent('of a pair of models each one asks for the way its videos lie, and a single one for none', {
  timeout: WAIT_MS,
}, async () => {
  const expected = { 'video/pair': '9:16', 'video/pair-landscape': '16:9', 'video/single': undefined }
  await using vendor = await startFakeVendor()
  simulateVendor(vendor, 'google', { polls: 0, outcome: 'made' })
  for (const model of Object.keys(expected)) await addVideo(model, 'google', vendor, [5])
  await untilModelKnown(world, 'video/single')
  await Promise.all(
    Object.entries(expected).map(async ([model, aspectRatio]) => {
      const client = videoClient(world.url, (await world.holder()).secret, model)
      const { id } = await client.create({ duration: 5, prompt: model })
      await client.pollUntil(id, ['completed'], WAIT_MS)
      const posted = vendor.posts.filter(({ body }) => (body.instances as { prompt?: string }[])[0]?.prompt === model)
      expect(posted).toHaveLength(1)
      expect((posted[0]?.body.parameters as { aspectRatio?: string } | undefined)?.aspectRatio).toBe(aspectRatio)
    }),
  )
})
