import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { imageEventOf, imageUsage, pngOf } from '../fakes/image-vendor.ts'
import { type Call, startStream } from '../fakes/vendor.ts'
import { hangUp } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { historyOf } from '../support/history.ts'
import { eventsOf, RawConnection, requestBytes } from '../support/raw-client.ts'

const PATH = '/v1/images/generations'
const PARTIAL = 'image_generation.partial_image'
const COMPLETED = 'image_generation.completed'
const READER_TIMEOUT_MS = 1000
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld({ READER_TIMEOUT_MS: String(READER_TIMEOUT_MS) })
  const image = { modality: 'image', baseUrl: world.vendor.url, upstreamModel: 'upstream-image', capabilities: ['streaming'] }
  await addModel(world.pool, {
    ...image,
    id: 'fake/tokens',
    capabilities: ['streaming', 'base64-only'],
    facts: { sizes: ['auto', '1024x1024'], qualities: ['high'], outputTokens: { '1024x1024:high': 4160 } },
    units: { input: '5000000000', image_input: '10000000000', image_output: '40000000000' },
  })
  await addModel(world.pool, {
    ...image,
    id: 'fake/each',
    facts: { sizes: ['1024x1024'] },
    units: { 'image:1024x1024': '10000000000000' },
  })
  await untilModelKnown(world, 'fake/each')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const CENT = 10_000_000n
const streamBody = (body: object) => JSON.stringify({ model: 'fake/each', prompt: 'A heron', stream: true, ...body })

async function stream(body: object, answer: (call: Call) => void | Promise<void>) {
  const holder = await world.holder()
  world.vendor.answer(answer)
  const rawAnswer = await world.send({ path: PATH, headers: headersOf(holder.secret), body: streamBody(body) })
  return { holder, rawAnswer, record: () => world.record(holder.accountId) }
}

/** Writes these events and ends. */
const respondWithEvents =
  (...events: string[]) =>
  (call: Call): void => {
    startStream(call)
    for (const event of events) call.response.write(event)
    call.response.end()
  }

const partial = (at: number) => imageEventOf(PARTIAL, pngOf(4, 4, at), { partial_image_index: at })
const completed = (at: number, more: object = {}) => imageEventOf(COMPLETED, pngOf(8, 8, at), more)
const parsed = (body: Buffer) => eventsOf(body).map((data) => JSON.parse(data) as Record<string, unknown>)
const USED = imageUsage(20, 0, 4260)
const PAID = 20n * 5_000n + 4260n * 40_000n

describe('a stream', () => {
  test('passes partial images as they came, and the image with its cost when it is paid for', async () => {
    const { holder, rawAnswer, record } = await stream(
      { model: 'fake/tokens', partial_images: 2 },
      respondWithEvents(partial(0), partial(1), completed(7, { usage: USED })),
    )
    expect(rawAnswer.status).toBe(200)
    expect(rawAnswer.header('content-type')).toMatch(/^text\/event-stream/)
    expect(rawAnswer.body.toString().startsWith(partial(0) + partial(1))).toBe(true)
    expect(rawAnswer.body.toString()).toContain(`event: ${COMPLETED}\n`)
    const [, , last, ...more] = parsed(rawAnswer.body)
    expect(more).toEqual([])
    expect(last).toMatchObject({
      type: COMPLETED,
      b64_json: pngOf(8, 8, 7).toString('base64'),
      usage: { ...USED, images: 1, cost: 0.1705 },
    })
    const row = await record()
    expect(row).toMatchObject({ charged: PAID, outcome: 'finished', estimated: false, shortfall: 0n })
    // Each partial image may add a hundred tokens.
    expect(row.hold).toBe((7n + 512n) * 5_000n + 4360n * 40_000n + 2n)
    await world.expectSettledBooks(holder, 1)
  })

  test('of a model that is billed by the image costs what a whole answer does', async () => {
    const { rawAnswer, record } = await stream({}, respondWithEvents(partial(0), completed(1)))
    expect(parsed(rawAnswer.body).at(-1)).toMatchObject({ usage: { images: 1, cost: 0.01, input_tokens: 0 } })
    expect((await record()).charged).toBe(CENT)
  })

  test('of several images tells the cost of all with the last one', async () => {
    const { rawAnswer, record } = await stream({ n: 2 }, respondWithEvents(partial(0), completed(1), partial(0), completed(2)))
    const events = parsed(rawAnswer.body)
    expect(events.map(({ type }) => type)).toEqual([PARTIAL, COMPLETED, PARTIAL, COMPLETED])
    expect(events[3]).toMatchObject({ usage: { images: 2, cost: 0.02 } })
    expect((await record()).charged).toBe(2n * CENT)
  })

  test('with fewer images than were asked for is charged for those', async () => {
    const { rawAnswer, record, holder } = await stream({ n: 3 }, respondWithEvents(completed(1), completed(2)))
    expect(parsed(rawAnswer.body)).toHaveLength(2)
    expect(await record()).toMatchObject({ charged: 2n * CENT, hold: 3n * CENT, outcome: 'finished' })
    await world.expectSettledBooks(holder, 1)
  })

  test('asks the vendor for one', async () => {
    await stream({ model: 'fake/tokens', partial_images: 1 }, respondWithEvents(completed(1, { usage: USED })))
    const call = world.vendor.calls.at(-1)
    expect(call?.body).toMatchObject({ stream: true, partial_images: 1, model: 'upstream-image' })
    expect(call?.body).not.toHaveProperty('response_format')
    expect(call?.headers.accept).toBe('text/event-stream')
  })

  test('is kept in history as what was made', async () => {
    const { holder } = await stream({}, respondWithEvents(partial(0), completed(1)))
    const { id } = await world.record(holder.accountId)
    const { answer } = await historyOf(world.pool, id)
    expect(answer).toEqual({ data: [{ b64_json: expect.stringMatching(/^\[image\/png, \d+ bytes, sha256 /) }] })
  })

  test('is replayed for an Idempotency-Key', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondWithEvents(partial(0), completed(1)))
    const ask = () =>
      world.send({ path: PATH, headers: headersOf(holder.secret, [['idempotency-key', 'again']]), body: streamBody({}) })
    const [first, second] = [await ask(), await ask()]
    expect(second.body.toString()).toBe(first.body.toString())
    expect((await world.record(holder.accountId)).charged).toBe(CENT)
  })
})

describe('a stream that goes wrong', () => {
  const inBand = 'event: error\ndata: {"type":"error","error":{"code":"moderation_blocked","message":"No."}}\n\n'
  const before: [string, (call: Call) => void | Promise<void>][] = [
    ['ends without an event', respondWithEvents()],
    ['fails at once', respondWithEvents(inBand)],
    ['fails after a partial image, at once', respondWithEvents(partial(0), inBand)],
    ['has no image in its image', respondWithEvents(imageEventOf(COMPLETED, Buffer.from('A text, which is no image at all.')))],
    ['is not JSON', respondWithEvents('data: {"type":"image_gen\n\n')],
    [
      'breaks off',
      (call) => {
        startStream(call)
        hangUp(call)
      },
    ],
  ]
  test.each(before)('and %s is 500, and not paid', async (_, answer) => {
    const { rawAnswer, record, holder } = await stream({}, answer)
    expect(rawAnswer.status).toBe(500)
    expect(rawAnswer.error()).toMatchObject({ type: 'server_error', code: 'server_error' })
    expect(await record()).toMatchObject({ charged: 0n, outcome: 'vendor_failed' })
    await world.expectSettledBooks(holder, 1)
  })

  test('after a partial image says so, and costs nothing: no image was made', async () => {
    const { rawAnswer, record, holder } = await stream({ model: 'fake/tokens' }, async (call) => {
      startStream(call)
      call.response.write(partial(0))
      await sleep(500)
      hangUp(call)
    })
    expect(rawAnswer.status).toBe(200)
    expect(parsed(rawAnswer.body).at(-1)).toMatchObject({ error: { code: 'server_error' } })
    expect(await record()).toMatchObject({ charged: 0n, outcome: 'vendor_failed' })
    await world.expectSettledBooks(holder, 1)
  })

  test('after the first of two images is paid for that one, which was delivered', async () => {
    const { rawAnswer, record, holder } = await stream({ n: 2 }, async (call) => {
      startStream(call)
      call.response.write(completed(1))
      await sleep(100)
      hangUp(call)
    })
    const events = parsed(rawAnswer.body)
    expect(events[0]).toMatchObject({ type: COMPLETED, b64_json: pngOf(8, 8, 1).toString('base64') })
    expect(events[1]).toMatchObject({ error: { code: 'server_error' } })
    expect(await record()).toMatchObject({ charged: CENT, outcome: 'cut' })
    await world.expectSettledBooks(holder, 1)
  })
})

describe('a client that leaves', () => {
  async function disconnect(body: object, when: 'before' | 'after a partial image', end: (call: Call) => void) {
    const holder = await world.holder()
    const before = world.vendor.calls.length
    world.vendor.answer((call) => {
      startStream(call)
      if (when !== 'before') call.response.write(partial(0))
    })
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ path: PATH, headers: headersOf(holder.secret), body: streamBody(body) }))
    await expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(before + 1)
    const call = world.vendor.calls.at(-1)
    if (!call) throw new Error('no call')
    if (when !== 'before') {
      expect((await connection.readHead()).status).toBe(200)
      expect((await connection.next())?.toString()).toContain(PARTIAL)
    }
    connection.destroy()
    await sleep(150)
    expect(call.response.destroyed, 'the vendor goes on').toBe(false)
    end(call)
    return { holder, record: await world.record(holder.accountId) }
  }

  test.each(['before', 'after a partial image'] as const)('%s the first event is charged by what is made then', async (when) => {
    const { holder, record } = await disconnect({ model: 'fake/tokens' }, when, (call) =>
      call.response.end(completed(1, { usage: USED })),
    )
    expect(record).toMatchObject({ outcome: 'client_gone', status: 200, charged: PAID, estimated: false })
    await world.expectSettledBooks(holder, 1)
  })

  test('and whose vendor then fails is charged nothing', async () => {
    const { holder, record } = await disconnect({ model: 'fake/tokens' }, 'after a partial image', hangUp)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 499, charged: 0n })
    await world.expectSettledBooks(holder, 1)
  })
})
