import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ApiWorld,
  expectError,
  headersOf,
  openApiWorld,
  UPSTREAM_MODEL,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import { type Call, sendEvent, startStream } from '../fakes/vendor.ts'
import { respondBytes, respondError, respondText } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { historyOf } from '../support/history.ts'
import { eventsOf, RawConnection, type RawRequest, requestBytes } from '../support/raw-client.ts'

const SOUND = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 31) % 256))
/** 13 characters, two of which JavaScript counts twice. */
const TEXT = 'Hello 🌍, 你好𝄞!'
const CHARACTER_NANO = 15_000n
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld({ READER_TIMEOUT_MS: '1000' })
  const vendor = { baseUrl: world.vendor.url, upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET, modality: 'speech' }
  const facts = { characters: 100, voices: ['alloy', 'nova'], formats: ['mp3', 'wav', 'pcm'] }
  const characters = { character: '15000000000' }
  const tokens = { input: '600000000', audio_output: '12000000000' }
  await addModel(world.pool, { id: 'fake/tts', ...vendor, facts, units: characters })
  await addModel(world.pool, { id: 'fake/says', ...vendor, capabilities: ['speech-events'], units: tokens })
  await addModel(world.pool, { id: 'fake/mute', ...vendor, units: { audio_second: '1' } })
  await addModel(world.pool, { id: 'fake/wav', ...vendor, facts: { formats: ['wav'] }, units: { request: '4000000000000' } })
  await untilModelKnown(world, 'fake/wav')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const bodyOf = (overrides: object = {}): object => ({ model: 'fake/tts', input: TEXT, voice: 'alloy', ...overrides })
const requestOf = (secret: string, overrides: object = {}, headers: [string, string][] = []): RawRequest => ({
  path: '/v1/audio/speech',
  headers: headersOf(secret, headers),
  body: JSON.stringify(bodyOf(overrides)),
})
const lastCall = (): Call => world.vendor.calls.at(-1) ?? expect.fail('the vendor was not called')
const delta = (audio: Buffer) => ({ type: 'speech.audio.delta', audio: audio.toString('base64') })
const DONE = { type: 'speech.audio.done', usage: { input_tokens: 14, output_tokens: 101, total_tokens: 115 } }

/** Sends sound as events, followed by these last events. */
const respondEvents =
  (...last: object[]) =>
  (call: Call): void => {
    startStream(call)
    for (const item of [delta(SOUND.subarray(0, 2000)), delta(SOUND.subarray(2000)), ...last]) sendEvent(call, item)
    call.response.end()
  }

const soundOf = (body: Buffer): Buffer =>
  Buffer.concat(
    eventsOf(body)
      .map((data) => JSON.parse(data) as { type: string; audio?: string })
      .flatMap(({ type, audio }) => (type === 'speech.audio.delta' ? [Buffer.from(audio ?? '', 'base64')] : [])),
  )

describe('speech by the character', () => {
  test('passes as it came, and costs its characters', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondBytes(SOUND, 700, 'audio/mpeg'))
    const answer = await world.send(requestOf(holder.secret, { speed: 1.5, a_field_of_tomorrow: 1 }))
    expect(answer.status).toBe(200)
    expect(answer.header('content-type')).toBe('audio/mpeg')
    expect(answer.body).toEqual(SOUND)
    const { body, headers, path } = lastCall()
    expect(path).toBe('/v1/audio/speech')
    const forwardedFields = { model: UPSTREAM_MODEL, input: TEXT, voice: 'alloy', speed: 1.5, a_field_of_tomorrow: 1 }
    expect(body).toEqual({ ...forwardedFields, response_format: 'mp3' })
    expect(headers.accept).not.toBe('text/event-stream')
    expect(await world.record(holder.accountId)).toMatchObject({ charged: 13n * CHARACTER_NANO, estimated: false, shortfall: 0n })
    await world.expectSettledBooks(holder, 1)
  })

  test('leaves as it comes, and its last byte when it is paid for', async () => {
    const holder = await world.holder()
    let end = (): void => undefined
    world.vendor.answer(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      response.write(SOUND.subarray(0, 3000))
      end = () => response.end(SOUND.subarray(3000))
    })
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes(requestOf(holder.secret, { response_format: 'wav' })))
    const head = await connection.readHead()
    expect(head.headers.get('content-type')).toEqual(['audio/wav'])
    let received = Buffer.alloc(0)
    while (received.length < 2999) received = Buffer.concat([received, (await connection.next()) ?? expect.fail('it ended')])
    expect(received).toEqual(SOUND.subarray(0, 2999))
    end()
    for (let piece = await connection.next(); piece; piece = await connection.next()) received = Buffer.concat([received, piece])
    expect(received).toEqual(SOUND)
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', charged: 13n * CHARACTER_NANO })
    connection.destroy()
  })

  test('becomes events for who wants them, though its model has none', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondBytes(SOUND, 700, 'audio/mpeg'))
    const answer = await world.send(requestOf(holder.secret, { stream_format: 'sse' }))
    expect(answer.header('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(soundOf(answer.body)).toEqual(SOUND)
    expect(JSON.parse(eventsOf(answer.body).at(-1) ?? '')).toEqual({
      type: 'speech.audio.done',
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, characters: 13, cost: 0.000195 },
    })
    expect(lastCall().body).not.toHaveProperty('stream_format')
    await world.expectSettledBooks(holder, 1)
  })

  test('is the first format of a model that has no MP3, and can be sold by the request', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondBytes(SOUND, 700, 'audio/wav'))
    const answer = await world.send(requestOf(holder.secret, { model: 'fake/wav', response_format: null }))
    expect(answer.header('content-type')).toBe('audio/wav')
    expect(lastCall().body).toMatchObject({ response_format: 'wav' })
    expect(await world.record(holder.accountId)).toMatchObject({ charged: 4_000_000n, estimated: false })
  })

  test('is answered again under its Idempotency-Key', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondBytes(SOUND, 700, 'audio/mpeg'))
    const key: [string, string][] = [['idempotency-key', 'speech-1']]
    await world.send(requestOf(holder.secret, {}, key))
    const calls = world.vendor.calls.length
    const replay = await world.send(requestOf(holder.secret, {}, key))
    expect(replay.body).toEqual(SOUND)
    expect(replay.header('content-type')).toBe('audio/mpeg')
    expect(world.vendor.calls.length).toBe(calls)
    await world.expectSettledBooks(holder, 1)
  })

  test('is kept in history as its text and the digest of its sound', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondBytes(SOUND, 700, 'audio/mpeg'))
    await world.send(requestOf(holder.secret))
    const { id } = await world.record(holder.accountId)
    const digest = createHash('sha256').update(SOUND).digest('hex').slice(0, 32)
    expect(await historyOf(world.pool, id)).toEqual({
      request: bodyOf(),
      answer: { audio: `[audio/mpeg, 5000 bytes, sha256 ${digest}]` },
    })
  })
})

describe('speech by tokens', () => {
  const tokenModel = { model: 'fake/says' }
  // 14 tokens at $0.60 and 101 at $12 per million.
  const COST = 8_400n + 1_212_000n

  test('is asked for as events, which alone tell what was used, and leaves as sound', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondEvents(DONE))
    const answer = await world.send(requestOf(holder.secret, tokenModel))
    expect(answer.header('content-type')).toBe('audio/mpeg')
    expect(answer.body).toEqual(SOUND)
    expect(lastCall().body).toMatchObject({ stream_format: 'sse' })
    expect(lastCall().headers.accept).toBe('text/event-stream')
    expect(await world.record(holder.accountId)).toMatchObject({ charged: COST, estimated: false })
    await world.expectSettledBooks(holder, 1)
  })

  test('leaves as events, the last of which says what it cost', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondEvents(DONE))
    const answer = await world.send(requestOf(holder.secret, { ...tokenModel, stream_format: 'sse' }))
    expect(soundOf(answer.body)).toEqual(SOUND)
    const last = JSON.parse(eventsOf(answer.body).at(-1) ?? '')
    expect(last).toEqual({ ...DONE, usage: { ...DONE.usage, cost: 0.0012204 } })
    expect(await world.record(holder.accountId)).toMatchObject({ charged: COST, estimated: false })
  })

  test.each([
    ['says nothing of its usage', respondEvents({ type: 'speech.audio.done' })],
    ['does not know events', respondBytes(SOUND, 700, 'audio/mpeg')],
  ])('is estimated where its vendor %s', async (_, handler) => {
    const holder = await world.holder()
    world.vendor.answer(handler)
    expect((await world.send(requestOf(holder.secret, tokenModel))).body).toEqual(SOUND)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'finished', estimated: true, why: 'The vendor reported no usage.' })
    expect(record.charged).toBeGreaterThan(18n * 12_000n)
    expect(record.charged).toBeLessThan(record.hold)
    await world.expectSettledBooks(holder, 1)
  })
})

describe('bad days', () => {
  test('a vendor that breaks off cuts the connection, and the text is paid for', async () => {
    const holder = await world.holder()
    world.vendor.answer(async ({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': String(SOUND.length) })
      response.write(SOUND.subarray(0, 3000))
      await sleep(50)
      response.destroy()
    })
    await expect(world.send(requestOf(holder.secret))).rejects.toThrow('the connection ended inside')
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'cut', charged: 13n * CHARACTER_NANO, estimated: false })
    await world.expectSettledBooks(holder, 1)
  })

  test('a vendor that fails among its events cuts sound, and says so in events', async () => {
    const respondFailure = respondEvents({ error: { message: 'secret', code: 'oops' } })
    for (const streamFormat of ['audio', 'sse']) {
      const holder = await world.holder()
      world.vendor.answer(respondFailure)
      const pending = world.send(requestOf(holder.secret, { model: 'fake/says', stream_format: streamFormat }))
      if (streamFormat === 'audio') await expect(pending).rejects.toThrow('the connection ended inside')
      else expect(JSON.parse(eventsOf((await pending).body).at(-1) ?? '')).toMatchObject({ error: { code: 'server_error' } })
      expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cut', estimated: true })
      await world.expectSettledBooks(holder, 1)
    }
  })

  test.each([
    ['before it begins', 0],
    ['while it is spoken', 3000],
  ])('a client that leaves %s pays for all characters', async (_, bytes) => {
    const holder = await world.holder()
    const calls = world.vendor.calls.length
    world.vendor.answer(({ response }) => {
      if (bytes === 0) return
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write(SOUND.subarray(0, bytes))
    })
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes(requestOf(holder.secret)))
    await expect.poll(() => world.vendor.calls.length).toBe(calls + 1)
    if (bytes > 0) await connection.readHead()
    connection.destroy()
    await lastCall().disconnected
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 499, estimated: false, charged: 13n * CHARACTER_NANO })
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['nothing', respondBytes('', 1, 'audio/mpeg'), 'vendor_failed'],
    ['a page', respondText('<html>', 'text/html; charset=utf-8'), 'vendor_failed'],
    ['JSON', respondText('{"error":{}}', 'application/json'), 'vendor_failed'],
    ['events without sound', respondText(`data: ${JSON.stringify(DONE)}\n\n`, 'text/event-stream'), 'vendor_failed'],
    ['half an event', respondText('data: {"type":"speech.au', 'text/event-stream'), 'vendor_failed'],
    ['no JSON', respondText('data: hello\n\n', 'text/event-stream'), 'vendor_failed'],
    ['its error', respondError(500, { message: 'down' }), 'vendor_failed'],
    ['that it does not take it', respondError(400, { message: 'No.', param: 'voice' }), 'invalid_request'],
  ] as const)('a vendor that answers %s is an error, and free', async (_, handler, condition) => {
    const holder = await world.holder()
    world.vendor.answer(handler)
    const answer = await world.send(requestOf(holder.secret, { model: 'fake/says' }))
    expectError(answer, { condition, param: condition === 'invalid_request' ? 'voice' : null })
    expect(await world.record(holder.accountId)).toMatchObject({ charged: 0n })
    await world.expectSettledBooks(holder, 1)
  })
})

const INVALID_VALUES: Record<string, unknown[]> = {
  model: [undefined, null, 1, '', 'x'.repeat(201)],
  input: [undefined, null, '', 5, ['Hello'], 'x'.repeat(101), '🌍'.repeat(101)],
  voice: [undefined, null, '', 5, 'echo', { id: 'voice_1234' }],
  response_format: ['ogg', 5, 'flac', ''],
  speed: ['1', 0.24, 4.01, {}],
  instructions: [5, 'x'.repeat(4097)],
  stream_format: ['events', true],
  service_tier: ['priority'],
  background: [true],
  previous_response_id: ['resp_1'],
}

describe.each(Object.entries(INVALID_VALUES))('the field %s', (field, values) => {
  test.each(values.map((value) => [JSON.stringify(value)?.slice(0, 30) ?? 'nothing', value]))('is not %s', async (_, value) => {
    await world.expectRefused((secret) => requestOf(secret, { [field]: value }), { condition: 'invalid_request', param: field })
  })
})

test('100 characters of two units each are not too many', async () => {
  const holder = await world.holder()
  world.vendor.answer(respondBytes(SOUND, 700, 'audio/mpeg'))
  expect((await world.send(requestOf(holder.secret, { input: '🌍'.repeat(100) }))).status).toBe(200)
})

test.each([
  ['a model that chats', { model: 'fake/chat' }, { condition: 'invalid_request', param: 'model' }],
  ['a model that is not there', { model: 'fake/none' }, { condition: 'unknown_model', param: 'model' }],
  ['a model without a price for what it does', { model: 'fake/mute' }, { condition: 'internal' }],
] as const)('%s does not speak', async (_, more, expected) => {
  await world.expectRefused((secret) => requestOf(secret, more), expected)
})
