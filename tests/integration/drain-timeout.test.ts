import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isRunning } from '#lib/store/embedded/postmaster'
import {
  type ApiWorld,
  chatBody,
  headersOf,
  openApiWorld,
  UPSTREAM_MODEL,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import { claudeAnswer, claudeEvents, claudeText } from '../fakes/bridged-vendors.ts'
import { imageEventOf, pngOf } from '../fakes/image-vendor.ts'
import { type Call, chatChunk, sendEvent, sendStream, startStream } from '../fakes/vendor.ts'
import { startVideoVendor } from '../fakes/video-vendor.ts'
import { addModel } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { eventsOf, RawConnection, requestBytes } from '../support/raw-client.ts'
import { addVideoModel } from '../support/videos.ts'

const WORDS = ['One', ' two', ' three']
const SOUND = Buffer.alloc(3000, 7)

/** Sends a part of what was asked for, and then nothing more. */
function respondPartially(call: Call): void {
  const { body, path, response } = call
  if (path.endsWith('/audio/speech') && body.stream_format !== 'sse') {
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(SOUND)
    return
  }
  if (body.stream !== true && body.stream_format !== 'sse') return
  startStream(call)
  if (path.endsWith('/images/generations')) {
    response.write(imageEventOf('image_generation.partial_image', pngOf(4, 4, 1), { partial_image_index: 0 }))
    if (body.n === 2) response.write(imageEventOf('image_generation.completed', pngOf(8, 8, 2)))
  } else if (path.endsWith('/audio/speech')) sendEvent(call, { type: 'speech.audio.delta', audio: SOUND.toString('base64') })
  else if (path.endsWith('/messages'))
    for (const event of claudeEvents(claudeAnswer([claudeText(WORDS.join(''))])).slice(0, 3)) sendEvent(call, event)
  else for (const word of WORDS) sendEvent(call, chatChunk(word))
}

async function openDrainWorld(): Promise<ApiWorld> {
  const world = await openApiWorld({ DRAIN_MS: '1500' })
  const vendor = { baseUrl: world.vendor.url, upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET }
  const facts = { sizes: ['1024x1024'] }
  const image = { modality: 'image', capabilities: ['streaming'], facts, units: { 'image:1024x1024': '10000000000000' } }
  await addModel(world.pool, { id: 'fake/bridged', ...vendor, kind: 'anthropic' })
  await addModel(world.pool, { id: 'fake/thinks', ...vendor, capabilities: ['hidden-reasoning'] })
  await addModel(world.pool, { id: 'fake/image', ...vendor, ...image })
  await addModel(world.pool, { id: 'fake/tts', ...vendor, modality: 'speech', units: { character: '15000000000' } })
  await addModel(world.pool, { id: 'fake/says', ...vendor, modality: 'speech', capabilities: ['speech-events'] })
  await untilModelKnown(world, 'fake/says')
  return world
}

const ERROR = {
  message: expect.stringMatching(/is restarting/),
  type: 'server_error',
  param: null,
  code: 'service_unavailable',
}

test('what is not finished when the time for it is over is told so, and charged for what was delivered', async () => {
  await using world = await openDrainWorld()
  await using videos = await startVideoVendor()
  videos.setInitialStatus('processing')
  await addVideoModel(world.pool, 'fake/video', videos.url)
  await untilModelKnown(world, 'fake/video')
  async function ask(path: string, body: object, extraHeaders: [string, string][] = []) {
    const holder = await world.holder()
    const callsBefore = world.vendor.calls.length + videos.videos.length
    const connection = await RawConnection.open(world.url)
    connection.send(
      requestBytes({ path: `/v1/${path}`, headers: headersOf(holder.secret, extraHeaders), body: JSON.stringify(body) }),
    )
    await expect.poll(() => world.vendor.calls.length + videos.videos.length, { interval: 5 }).toBe(callsBefore + 1)
    return { connection, record: () => world.record(holder.accountId) }
  }
  // The tokenizer is loaded when it is first needed, which takes a busy machine a while.
  world.vendor.answer((call) => sendStream(call, WORDS, null))
  await world.chat((await world.holder()).secret, { stream: true })
  world.vendor.answer(respondPartially)
  const stream = { stream: true }
  const chat = await ask('chat/completions', chatBody(stream))
  const idempotent = await ask('chat/completions', chatBody(stream), [['idempotency-key', 'once']])
  const bridged = await ask('chat/completions', chatBody({ ...stream, model: 'fake/bridged' }))
  const response = await ask('responses', { model: 'fake/chat', input: 'Hello.', ...stream })
  const imageBody = { model: 'fake/image', prompt: 'A heron', ...stream }
  const partialImage = await ask('images/generations', imageBody)
  const twoImages = await ask('images/generations', { ...imageBody, n: 2 })
  const speech = { input: 'Hello there.', voice: 'alloy' }
  const speechEvents = await ask('audio/speech', { ...speech, model: 'fake/says', stream_format: 'sse' })
  const sound = await ask('audio/speech', { ...speech, model: 'fake/tts' })
  const nonStreaming = await ask('chat/completions', chatBody())
  const abandoned = await ask('chat/completions', chatBody({ ...stream, model: 'fake/thinks' }))
  const video = await ask('videos/generations', { model: 'fake/video', prompt: 'A kite.', async: false })
  await abandoned.connection.readHead()
  await abandoned.connection.next()
  abandoned.connection.destroy()

  world.gateway.kill('SIGTERM')

  const last = (body: Buffer) => JSON.parse(eventsOf(body).at(-1) ?? '')
  for (const { connection } of [chat, idempotent, bridged]) {
    const { body } = await connection.readAnswer()
    const contents = eventsOf(body)
      .slice(0, -1)
      .map((data) => JSON.parse(data).choices[0]?.delta.content ?? '')
    expect(contents.join('')).toBe(WORDS.join(''))
    expect(last(body)).toEqual({ error: ERROR })
  }
  const [error, failed] = eventsOf((await response.connection.readAnswer()).body)
    .slice(-2)
    .map((data) => JSON.parse(data))
  expect([error, failed]).toMatchObject([{ type: 'error' }, { type: 'response.failed', response: { status: 'failed' } }])
  expect(JSON.stringify([error, failed])).toContain('is restarting')
  for (const { connection } of [partialImage, twoImages, speechEvents])
    expect(last((await connection.readAnswer()).body)).toEqual({ error: ERROR })
  await expect(sound.connection.readAnswer()).rejects.toThrow('inside a')
  const refused = await nonStreaming.connection.readAnswer()
  expect([refused.status, refused.header('retry-after'), refused.error()]).toEqual([503, '2', ERROR])
  const videoAnswer = await video.connection.readAnswer()
  expect([videoAnswer.status, videoAnswer.json().status]).toEqual([200, 'processing'])

  await expect.poll(() => isRunning(world.gateway.pid), { timeout: 30_000 }).toBe(false)
  expect(await world.gateway.stop()).toBe(0)
  expect(world.gateway.log()).toContain('requests still in progress are cut off')
  for (const { record } of [chat, idempotent, bridged]) {
    const row = await record()
    expect(row).toMatchObject({ outcome: 'cut', status: 503, errorCode: 'service_unavailable', output: 3n, estimated: true })
    expect(row).toMatchObject({ why: 'The gateway was restarted; what was delivered was counted.', trace: [{ result: 'left' }] })
    expect(row.charged).toBe(row.input * 2500n + 30_000n)
  }
  expect(await response.record()).toMatchObject({ outcome: 'cut', status: 503, output: 3n })
  expect(await partialImage.record()).toMatchObject({ outcome: 'refused', status: 503, charged: 0n })
  expect(await twoImages.record()).toMatchObject({ outcome: 'cut', status: 503, charged: 10_000_000n })
  expect(await speechEvents.record()).toMatchObject({ outcome: 'cut', status: 503 })
  expect(await sound.record()).toMatchObject({ outcome: 'cut', charged: 12n * 15_000n })
  expect(await nonStreaming.record()).toMatchObject({ outcome: 'refused', status: 503, charged: 0n })
  expect(await abandoned.record()).toMatchObject({ outcome: 'client_gone', output: 3n })
  const { rows } = await world.pool.query(
    "select sum(vendor_errors)::int vendor, sum(house_errors)::int house from traffic where span = 'minute' and grain = 'all'",
  )
  expect(rows).toEqual([{ vendor: 0, house: 9 }])
  await expectBalancedBooks(world.pool)
}, 120_000)

/** Sends pieces of a body every few milliseconds, for as long as the connection takes them. */
function keepSending(connection: RawConnection, piece: Buffer): void {
  const timer = setInterval(() => (connection.socket.writable ? connection.send(piece) : clearInterval(timer)), 5)
  connection.socket.once('close', () => clearInterval(timer))
}

test('a request that is still being sent when the time is over gets a 503, and its connection is closed', async () => {
  await using world = await openApiWorld({ DRAIN_MS: '1500' })
  await addModel(world.pool, { id: 'fake/hears', baseUrl: world.vendor.url, modality: 'transcription', units: { request: '1' } })
  await untilModelKnown(world, 'fake/hears')
  const form = Buffer.from(
    [
      ...['--drain', 'Content-Disposition: form-data; name="model"', '', 'fake/hears'],
      ...['--drain', 'Content-Disposition: form-data; name="file"; filename="a.wav"', '', 'RIFF\0\0\0\0WAVEfmt '],
    ].join('\r\n'),
  )
  const json = Buffer.from(`{"model":"fake/chat","messages":[{"role":"user","content":"${'a'.repeat(5000)}`)
  async function begin(path: string, type: string, body: Buffer, length: number) {
    const holder = await world.holder()
    const headers = headersOf(holder.secret).filter(([name]) => name !== 'content-type')
    const connection = await RawConnection.open(world.url)
    const head: [string, string][] = [...headers, ['content-type', type], ['content-length', String(length)]]
    connection.send(Buffer.concat([requestBytes({ path, headers: head }), body]))
    return { connection, record: () => world.record(holder.accountId) }
  }
  const beginForm = () => begin('/v1/audio/transcriptions', 'multipart/form-data; boundary=drain', form, 20 * 1024 * 1024)
  const uploads = [
    await beginForm(),
    await beginForm(),
    await begin('/v1/chat/completions', 'application/json', json, 10_000),
    await begin('/v1/chat/completions', 'application/json', json, 500_000),
  ]
  const [, sending] = uploads
  if (sending) keepSending(sending.connection, Buffer.alloc(20_000, 1))
  world.gateway.kill('SIGTERM')
  for (const { connection } of uploads) {
    const refused = await connection.readAnswer()
    expect([refused.status, refused.header('retry-after'), refused.header('connection')]).toEqual([503, '2', 'close'])
    expect(refused.error()).toEqual(ERROR)
  }
  // A client that still sends has a moment to read the answer before its connection is reset.
  await sleep(200)
  expect(sending?.connection.socket.destroyed).toBe(false)
  await expect.poll(() => isRunning(world.gateway.pid), { timeout: 30_000 }).toBe(false)
  expect(await world.gateway.stop()).toBe(0)
  for (const { record } of uploads) expect(await record()).toMatchObject({ outcome: 'refused', status: 503, charged: 0n })
  await expectBalancedBooks(world.pool)
}, 60_000)
