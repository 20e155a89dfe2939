import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { VIDEO_ROWS, type VideoEnd } from '../fakes/kinds/video-rows.ts'
import { type Call, sendJson } from '../fakes/vendor.ts'
import { VIDEO_BYTES } from '../fakes/video-vendor.ts'
import { addModel } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { SECOND_PRICE_NANO, videoClient } from '../support/videos.ts'

const SECRET = 'video-secret-Mn7bVc2x'
type Kind = keyof typeof VIDEO_ROWS
const KINDS = Object.keys(VIDEO_ROWS) as Kind[]

/** One model twice: portrait and landscape. */
const PAIR = ['video/pair', 'video/pair-landscape'] as const

/** A vendor is polled every few seconds, and less often if it had trouble. */
const WAIT_MS = 60_000

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const add = (id: string, kind: Kind, durations: number[]) =>
    addModel(world.pool, {
      id,
      kind,
      upstreamModel: VIDEO_ROWS[kind].upstreamModel,
      baseUrl: origin(),
      secret: SECRET,
      modality: 'video',
      units: { video_second: String(SECOND_PRICE_NANO * 1_000_000n) },
      facts: { durations },
    })
  for (const kind of KINDS) await add(`video/${kind}`, kind, [5, 10])
  for (const id of PAIR) await add(id, 'google', [5])
  await untilModelKnown(world, PAIR[1])
})
afterAll(async () => {
  await expectBalancedBooks(world.pool)
  await world[Symbol.asyncDispose]()
})

const origin = (): string => new URL(world.vendor.url).origin
const sendVideo = ({ response }: Call): void => void response.writeHead(200, { 'content-type': 'video/mp4' }).end(VIDEO_BYTES)

/** The course of a vendor's work: it has started, is polled this many times, and then ends like this. */
interface VideoJob {
  polls: number
  outcome: VideoEnd
}

/** Makes the vendor work like this. `trouble` is the status of the first poll. */
function simulateVendor(kind: Kind, { polls, outcome }: VideoJob, trouble?: number): void {
  const { startReply, pollReply } = VIDEO_ROWS[kind]
  let pollCount = 0
  world.vendor.answer((call) => {
    if (call.path.startsWith('/film')) return sendVideo(call)
    if (call.request.method === 'POST') return sendJson(call, startReply(origin()))
    pollCount++
    if (trouble !== undefined && pollCount === 1) return sendJson(call, { error: { message: 'busy' }, detail: 'busy' }, trouble)
    const [status, body] = pollReply(origin(), pollCount > polls ? outcome : null)
    sendJson(call, body, status)
  })
}

async function begin(kind: Kind) {
  const holder = await world.holder()
  const client = videoClient(world.url, holder.secret, `video/${kind}`)
  const before = world.vendor.calls.length
  const { id } = await client.create({ duration: 5 })
  return { holder, before, waitForEnd: () => client.pollUntil(id, ['completed', 'failed'], WAIT_MS) }
}

describe.each(KINDS)('%s', { timeout: WAIT_MS }, (kind) => {
  test('makes a video, which is begun once, looked at until it is done, whatever trouble there is, and paid once', async () => {
    simulateVendor(kind, { polls: 1, outcome: 'made' }, 503)
    const { holder, before, waitForEnd } = await begin(kind)
    const task = await waitForEnd()
    expect(task).toMatchObject({ status: 'completed', usage: { video_seconds: 5 } })
    expect(Buffer.from(await (await fetch(task.video_url ?? '')).arrayBuffer())).toEqual(VIDEO_BYTES)
    const calls = world.vendor.calls.slice(before)
    const posted = calls.filter(({ request }) => request.method === 'POST')
    expect(posted).toHaveLength(1)
    expect(posted[0]).toMatchObject(VIDEO_ROWS[kind].begins)
    for (const call of calls.filter(({ path }) => !path.startsWith('/film')))
      expect(JSON.stringify(call.headers)).toContain(SECRET)
    expect((await world.record(holder.accountId)).charged).toBe(SECOND_PRICE_NANO * 5n)
    await world.expectSettledBooks(holder, 1)
  })

  test('that it fails costs nothing, and says why', async () => {
    simulateVendor(kind, { polls: 0, outcome: 'failed' })
    const { holder, waitForEnd } = await begin(kind)
    const task = await waitForEnd()
    expect(task.status).toBe('failed')
    expect(task.error).toMatch(/unsafe/)
    expect((await world.record(holder.accountId)).charged).toBe(0n)
    await world.expectSettledBooks(holder, 1)
  })

  test('what the vendor does not take is refused in its words, and asked once', async () => {
    world.vendor.answer((call) =>
      sendJson(call, { error: { code: 422, message: 'No boats, please.', status: 'x' }, detail: 'No boats, please.' }, 422),
    )
    const { holder, before, waitForEnd } = await begin(kind)
    expect((await waitForEnd()).error).toMatch(/No boats, please/)
    expect(world.vendor.calls.length).toBe(before + 1)
    await world.expectSettledBooks(holder, 1)
  })
})

test('of a pair of models each one asks for the way its videos lie, and a single one for none', {
  timeout: WAIT_MS,
}, async () => {
  simulateVendor('google', { polls: 0, outcome: 'made' })
  const requestAspectRatio = async (model: string) => {
    const before = world.vendor.calls.length
    const client = videoClient(world.url, (await world.holder()).secret, model)
    const { id } = await client.create({ duration: 5 })
    await client.pollUntil(id, ['completed'], WAIT_MS)
    const posted = world.vendor.calls.slice(before).find(({ request }) => request.method === 'POST')
    return (posted?.body.parameters as { aspectRatio?: string } | undefined)?.aspectRatio
  }
  expect(await requestAspectRatio(PAIR[0])).toBe('9:16')
  expect(await requestAspectRatio(PAIR[1])).toBe('16:9')
  expect(await requestAspectRatio('video/google')).toBeUndefined()
})
