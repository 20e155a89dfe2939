import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ApiWorld,
  expectError,
  newClientIp,
  openApiWorld,
  UPSTREAM_MODEL,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import { type FormFields, formBody } from '../fakes/form-body.ts'
import { type Call, sendEvent, sendJson, startStream } from '../fakes/vendor.ts'
import { hangUp, respondError, respondText } from '../fakes/vendor-faults.ts'
import { silentWavOf, wavOf } from '../fakes/wav.ts'
import { addModel } from '../support/fixtures.ts'
import { historyOf } from '../support/history.ts'
import { eventsOf, RawConnection, type RawRequest, requestBytes } from '../support/raw-client.ts'

const WAV = wavOf(2.4)
/** 2.4 seconds are billed as three. */
const SECONDS_NANO = 300_000n
const TOKENS = { type: 'tokens', input_tokens: 30, input_token_details: { text_tokens: 6, audio_tokens: 24 }, output_tokens: 4 }
/** 6 tokens at $2.50, 24 at $6 and 4 at $10 per million. */
const TOKENS_NANO = 15_000n + 144_000n + 40_000n
const UNKNOWN = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 }
const SEGMENTS = [
  { id: 0, start: 0, end: 1.1, text: ' Hello', ...UNKNOWN },
  { id: 1, start: 1.1, end: 2.4, text: ' there.', ...UNKNOWN },
]
const VERBOSE = { task: 'transcribe', language: 'english', duration: 2.4, text: 'Hello there.', segments: SEGMENTS }
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const vendor = { baseUrl: world.vendor.url, upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET, modality: 'transcription' }
  const tokens = { input: '2500000000', audio_input: '6000000000', output: '10000000000' }
  // Four files of 100 MB at once are much to read for the vendor, which runs in this process.
  await addModel(world.pool, { id: 'fake/hears', ...vendor, headersTimeoutMs: 60_000, units: { audio_second: '100000000000' } })
  const facts = { formats: ['json'] }
  await addModel(world.pool, { id: 'fake/streams', ...vendor, facts, units: tokens, capabilities: ['streaming'] })
  await addModel(world.pool, { id: 'fake/mute', ...vendor, units: { character: '1' } })
  await untilModelKnown(world, 'fake/mute')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const FILE: FormFields = [['file', { filename: 'Größe.wav', content: WAV }]]
const MODEL: FormFields = [['model', 'fake/hears']]

function requestOf(secret: string, fields: FormFields, headers: [string, string][] = [], type?: string): RawRequest {
  const form = formBody(fields)
  return {
    path: '/v1/audio/transcriptions',
    headers: [
      ['authorization', `Bearer ${secret}`],
      ['content-type', type ?? form.type],
      ['x-forwarded-for', newClientIp()],
      ...headers,
    ],
    body: form.body,
  }
}

/** Sends the sound with these form fields. The model is `fake/hears` unless another is named. */
const send = (secret: string, extraFields: FormFields = [], headers: [string, string][] = []) =>
  world.send(
    requestOf(secret, [...(extraFields.some(([name]) => name === 'model') ? [] : MODEL), ...extraFields, ...FILE], headers),
  )

const lastCall = (): Call => world.vendor.calls.at(-1) ?? expect.fail('the vendor was not called')
const answer = (value: object) => (call: Call) => sendJson(call, value)
const event = (type: string, more: object) => ({ type: `transcript.text.${type}`, ...more })

/** Sends words as they are recognized, and then calls `last`. */
const respondWords =
  (last: (call: Call) => void) =>
  (call: Call): void => {
    startStream(call)
    for (const delta of ['Hello', ' there.']) sendEvent(call, event('delta', { delta }))
    last(call)
  }
const sendDone = (call: Call): void => {
  sendEvent(call, event('done', { text: 'Hello there.', usage: TOKENS }))
  call.response.end()
}

/** The usage that OpenAI's clients know at the end of a stream. */
const NO_TOKENS = {
  ...{ type: 'tokens', input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  input_token_details: { text_tokens: 0, audio_tokens: 0 },
}

describe('a transcription by the second', () => {
  test('passes what came, and costs the measured seconds, whatever the vendor says', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Hello there.', usage: { type: 'duration', seconds: 999 } }))
    const extraFields: FormFields = [
      ['language', 'en'],
      ['prompt', 'Names: Søren'],
      ['temperature', '0.2'],
      ['future', 'kept'],
    ]
    const response = await send(holder.secret, extraFields)
    expect(response.status, response.text).toBe(200)
    expect(response.header('content-type')).toBe('application/json')
    expect(response.json()).toEqual({ text: 'Hello there.', usage: { type: 'duration', seconds: 3, cost: 0.0003 } })
    expect(response.header('x-tollgate-cost')).toBe('0.0003')
    const { form, path, headers } = lastCall()
    expect(path).toBe('/v1/audio/transcriptions')
    expect(headers.authorization).toBe(`Bearer ${VENDOR_SECRET}`)
    const texts = [...(form?.entries() ?? [])].filter(([, value]) => typeof value === 'string')
    expect(Object.fromEntries(texts)).toEqual({
      model: UPSTREAM_MODEL,
      response_format: 'json',
      ...Object.fromEntries(extraFields),
    })
    const file = form?.get('file') as File
    expect([file.name, file.type, Buffer.from(await file.arrayBuffer()).equals(WAV)]).toEqual(['Größe.wav', 'audio/wav', true])
    expect(await world.record(holder.accountId)).toMatchObject({ charged: SECONDS_NANO, estimated: false, shortfall: 0n })
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['text', 'text/plain; charset=utf-8', 'Hello there.\n', 'json'],
    [
      'srt',
      'text/plain; charset=utf-8',
      '1\n00:00:00,000 --> 00:00:01,100\nHello\n\n2\n00:00:01,100 --> 00:00:02,400\nthere.\n\n',
      'verbose_json',
    ],
    [
      'vtt',
      'text/vtt; charset=utf-8',
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.100\nHello\n\n00:00:01.100 --> 00:00:02.400\nthere.\n\n',
      'verbose_json',
    ],
  ])('comes as %s', async (format, type, text, vendorFormat) => {
    const holder = await world.holder()
    world.vendor.answer(answer(VERBOSE))
    const response = await send(holder.secret, [['response_format', format]])
    expect([response.status, response.header('content-type'), response.body.toString()]).toEqual([200, type, text])
    expect(response.header('x-tollgate-cost')).toBe('0.0003')
    expect(lastCall().form?.get('response_format')).toBe(vendorFormat)
    await world.expectSettledBooks(holder, 1)
  })

  test('comes with words and segments', async () => {
    const holder = await world.holder()
    const words = [{ word: 'Hello', start: 0, end: 0.9 }]
    world.vendor.answer(answer({ ...VERBOSE, words }))
    const response = await send(holder.secret, [
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
    ])
    expect(response.json()).toEqual({ ...VERBOSE, words, usage: { type: 'duration', seconds: 3, cost: 0.0003 } })
    expect(lastCall().form?.getAll('timestamp_granularities[]')).toEqual(['word', 'segment'])
  })

  test('is one delta for who wants a stream of a model that has none', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Hello there.' }))
    const response = await send(holder.secret, [['stream', 'true']])
    expect(response.header('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(eventsOf(response.body).map((data) => JSON.parse(data))).toEqual([
      event('delta', { delta: 'Hello there.' }),
      event('done', { text: 'Hello there.', usage: { ...NO_TOKENS, seconds: 3, cost: 0.0003 } }),
    ])
    expect(lastCall().form?.has('stream')).toBe(false)
    await world.expectSettledBooks(holder, 1)
  })

  test('is answered again under its Idempotency-Key, whatever the boundary', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Hello there.' }))
    const key: [string, string] = ['idempotency-key', 'hear-1']
    const first = await send(holder.secret, [], [key])
    const calls = world.vendor.calls.length
    const { body, type } = formBody([...MODEL, ...FILE], 'another')
    const replay = await world.send({ ...requestOf(holder.secret, [], [key], type), body })
    expect(replay.body.toString()).toBe(first.body.toString())
    expect(replay.header('x-tollgate-replayed')).toBe(first.header('x-request-id'))
    expect(world.vendor.calls.length).toBe(calls)
    expectError(await send(holder.secret, [['language', 'de']], [key]), {
      condition: 'idempotency_mismatch',
      param: 'Idempotency-Key',
    })
  })

  test('is kept in history as its text, and the name, size and digest of its sound', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Hello there.' }))
    await send(holder.secret)
    const digest = createHash('sha256').update(WAV).digest('hex').slice(0, 32)
    expect(await historyOf(world.pool, (await world.record(holder.accountId)).id)).toEqual({
      request: { model: 'fake/hears', file: `Größe.wav [audio/wav, ${WAV.length} bytes, sha256 ${digest}]` },
      answer: { text: 'Hello there.', duration: 2.4 },
    })
  })

  test('of a large file goes over the disk', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Long.' }))
    const long = wavOf(400.2)
    const response = await world.send(requestOf(holder.secret, [...MODEL, ['file', { filename: 'long.wav', content: long }]]))
    expect(response.json()).toMatchObject({ usage: { seconds: 401 } })
    const file = lastCall().form?.get('file') as File
    expect(Buffer.from(await file.arrayBuffer()).equals(long)).toBe(true)
    await world.expectSettledBooks(holder, 1)
  })
})

/** The peak memory of the gateway while it passed on a silence of this many bytes. */
async function peakOf(secret: string, bytes: number): Promise<number> {
  let peak = 0
  const sampler = setInterval(() => {
    void world.gateway.rss().then((rss) => {
      peak = Math.max(peak, rss)
    })
  }, 20)
  const file = { filename: 'long.wav', content: silentWavOf(bytes) }
  const response = await world.send(requestOf(secret, [...MODEL, ['file', file]]))
  clearInterval(sampler)
  expect(response.json(), String(response.body)).toMatchObject({
    usage: { type: 'duration', seconds: Math.ceil(bytes / 16_000) },
  })
  return peak
}

test('large files need no more memory than smaller ones, and four at once no more than one', async () => {
  const holder = await world.holder({}, 5_300_000_000n)
  world.vendor.answer(answer({ text: 'Long.' }))
  const large = () => peakOf(holder.secret, 100_000_000)
  // Forwarded data becomes garbage. A new process lets about 100 MB of it gather, and no more.
  for (let first = 0; first < 2; first++) await large()
  const smaller = await peakOf(holder.secret, 24_000_000)
  expect((await large()) - smaller).toBeLessThan(60_000_000)
  expect(Math.max(...(await Promise.all([1, 2, 3, 4].map(large)))) - smaller).toBeLessThan(100_000_000)
  await world.expectSettledBooks(holder, 8)
})

test('a file of more than 100 MiB is too large, which is said before it is here', async () => {
  const holder = await world.holder()
  const { headers = [] } = requestOf(holder.secret, [])
  const long: [string, string] = ['content-length', String(110 * 1024 * 1024)]
  const response = await world.send({
    path: '/v1/audio/transcriptions',
    headers: [...headers, long],
    body: '--a',
    noLength: true,
  })
  expectError(response, { condition: 'too_large', param: 'file' })
})

describe('a transcription by tokens', () => {
  const model: FormFields = [['model', 'fake/streams']]

  test('costs the vendor’s tokens', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Hello there.', logprobs: [], usage: TOKENS }))
    const response = await send(holder.secret, [...model, ['include[]', 'logprobs']])
    const usage = { ...TOKENS, total_tokens: 34, cost: 0.000199 }
    expect(response.json()).toEqual({ text: 'Hello there.', logprobs: [], usage })
    expect(await world.record(holder.accountId)).toMatchObject({ charged: TOKENS_NANO, estimated: false })
    await world.expectSettledBooks(holder, 1)
  })

  // Python's clients write it in a capital.
  test.each(['true', 'True'])('streams, if asked to with %s', async (wanted) => {
    const holder = await world.holder()
    world.vendor.answer(respondWords(sendDone))
    const response = await send(holder.secret, [...model, ['stream', wanted], ['chunking_strategy', 'auto']])
    expect(eventsOf(response.body).map((data) => JSON.parse(data))).toEqual([
      event('delta', { delta: 'Hello' }),
      event('delta', { delta: ' there.' }),
      event('done', { text: 'Hello there.', usage: { ...TOKENS, total_tokens: 34, cost: 0.000199 } }),
    ])
    const { form, headers } = lastCall()
    expect([form?.get('stream'), form?.get('chunking_strategy'), headers.accept]).toEqual(['true', 'auto', 'text/event-stream'])
    expect(await world.record(holder.accountId)).toMatchObject({ charged: TOKENS_NANO, estimated: false })
    await world.expectSettledBooks(holder, 1)
  })

  test('is estimated where the vendor says nothing', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Hello there.' }))
    await send(holder.secret, model)
    const record = await world.record(holder.accountId)
    // 24 tokens of sound and three of text.
    expect(record).toMatchObject({ estimated: true, charged: 144_000n + 30_000n, output: 3n })
    await world.expectSettledBooks(holder, 1)
  })

  test('runs on when its client leaves, and is charged by its usage', async () => {
    for (const stream of ['true', 'false']) {
      const holder = await world.holder()
      const calls = world.vendor.calls.length
      let finish = (): void => undefined
      world.vendor.answer((call) => {
        finish = stream === 'true' ? () => sendDone(call) : () => sendJson(call, { text: 'Hello there.', usage: TOKENS })
        if (stream === 'true') respondWords(() => undefined)(call)
      })
      const connection = await RawConnection.open(world.url)
      connection.send(requestBytes(requestOf(holder.secret, [...model, ['stream', stream], ...FILE])))
      await expect.poll(() => world.vendor.calls.length).toBe(calls + 1)
      if (stream === 'true') await connection.readHead()
      connection.destroy()
      await new Promise((next) => setTimeout(next, 50))
      finish()
      const record = await world.record(holder.accountId)
      expect(record).toMatchObject({ outcome: 'client_gone', charged: TOKENS_NANO, estimated: false })
      await world.expectSettledBooks(holder, 1)
    }
  })

  test('that breaks off in mid-stream is what was heard, estimated', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondWords((call) => setTimeout(() => hangUp(call), 60)))
    const response = await send(holder.secret, [...model, ['stream', 'true']])
    expect(JSON.parse(eventsOf(response.body).at(-1) ?? '')).toMatchObject({ error: { code: 'server_error' } })
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cut', estimated: true, charged: 174_000n })
    await world.expectSettledBooks(holder, 1)
  })
})

describe('a vendor that answers', () => {
  test.each([
    ['no JSON', respondText('Hello there.', 'text/plain'), 'vendor_failed'],
    ['no text', answer({ words: [] }), 'vendor_failed'],
    ['nothing', hangUp, 'vendor_failed'],
    ['its error', respondError(500, { message: 'down' }), 'vendor_failed'],
    ['that it does not take it', respondError(400, { message: 'Too quiet.', param: 'file' }), 'invalid_request'],
  ] as const)('%s is an error, and free, whole and as a stream', async (_, handler, condition) => {
    for (const stream of ['true', 'false']) {
      const holder = await world.holder()
      world.vendor.answer(handler)
      const response = await send(holder.secret, [['stream', stream]])
      expect(response.error().code).toMatch(
        condition === 'invalid_request' ? 'invalid_request_error' : /server_error|unavailable/,
      )
      expect(await world.record(holder.accountId)).toMatchObject({ charged: 0n })
      await world.expectSettledBooks(holder, 1)
    }
  })
})

const expectRefusal = (fields: FormFields, param: string | null, more: { message?: RegExp; type?: string; body?: Buffer } = {}) =>
  world.expectRefused((secret) => ({ ...requestOf(secret, fields, [], more.type), ...(more.body ? { body: more.body } : {}) }), {
    condition: 'invalid_request',
    param,
    ...(more.message ? { message: more.message } : {}),
  })

describe('a form is refused', () => {
  test.each<[string, FormFields, string]>([
    ['without a model', FILE, 'model'],
    ['with an empty model', [['model', ''], ...FILE], 'model'],
    ['with a model that chats', [['model', 'fake/chat'], ...FILE], 'model'],
    ['without a file', MODEL, 'file'],
    ['with a text for a file', [...MODEL, ['file', 'hello']], 'file'],
    ['with two files', [...MODEL, ...FILE, ...FILE], 'file'],
    ['with a file of another name', [...MODEL, ...FILE, ['image', { filename: 'a.wav', content: WAV }]], 'image'],
    ['with a file of zero bytes', [...MODEL, ['file', { filename: 'a.wav', content: '' }]], 'file'],
    [
      'with a text that calls itself sound',
      [...MODEL, ['file', { filename: 'a.wav', content: 'This is no sound. '.repeat(20) }]],
      'file',
    ],
    [
      'with a picture',
      [...MODEL, ['file', { filename: 'a.mp3', content: Buffer.from(`89504e470d0a1a0a${'00'.repeat(80)}`, 'hex') }]],
      'file',
    ],
    [
      'with the head of a sound and nothing else',
      [...MODEL, ['file', { filename: 'a.wav', content: WAV.subarray(0, 44) }]],
      'file',
    ],
    ['with a temperature in words', [...MODEL, ...FILE, ['temperature', 'hot']], 'temperature'],
    ['with a temperature of 2', [...MODEL, ...FILE, ['temperature', '2']], 'temperature'],
    ['with a format that is none', [...MODEL, ...FILE, ['response_format', 'docx']], 'response_format'],
    ['with a stream of perhaps', [...MODEL, ...FILE, ['stream', 'perhaps']], 'stream'],
    ['with a stream of subtitles', [...MODEL, ...FILE, ['stream', 'true'], ['response_format', 'vtt']], 'response_format'],
    [
      'with subtitles of a model without times',
      [['model', 'fake/streams'], ...FILE, ['response_format', 'srt']],
      'response_format',
    ],
    [
      'with times of sentences',
      [...MODEL, ...FILE, ['response_format', 'verbose_json'], ['timestamp_granularities[]', 'sentence']],
      'timestamp_granularities[0]',
    ],
    ['with times but no room for them', [...MODEL, ...FILE, ['timestamp_granularities[]', 'word']], 'timestamp_granularities'],
    ['with a language twice', [...MODEL, ...FILE, ['language', 'en'], ['language', 'de']], 'language'],
    ['with a language of forty letters', [...MODEL, ...FILE, ['language', 'x'.repeat(40)]], 'language'],
    ['with a tier that has no price', [...MODEL, ...FILE, ['service_tier', 'priority']], 'service_tier'],
    ['with what is not to be included', [...MODEL, ...FILE, ['include[]', 'secrets']], 'include[0]'],
  ])('%s', async (_, fields, param) => {
    await expectRefusal(fields, param)
  })

  test('with the wrong boundary, without one, and cut off', async () => {
    const { body } = formBody([...MODEL, ...FILE])
    await expectRefusal([], 'Content-Type', { type: 'multipart/form-data', body })
    await expectRefusal([], null, { type: 'multipart/form-data; boundary=other', body })
    await expectRefusal([], 'file', { body: body.subarray(0, body.length - 500) })
  })

  test('as JSON', async () => {
    const request = (secret: string) => ({ ...requestOf(secret, [], [], 'application/json'), body: '{"model":"fake/hears"}' })
    await world.expectRefused(request, { condition: 'wrong_content' })
  })

  test('of a model that is not there, and of one whose price has no such unit', async () => {
    await world.expectRefused((secret) => requestOf(secret, [['model', 'fake/none'], ...FILE]), {
      condition: 'unknown_model',
      param: 'model',
    })
    await world.expectRefused((secret) => requestOf(secret, [['model', 'fake/mute'], ...FILE]), { condition: 'internal' })
  })

  test('of an account whose money does not cover the seconds', async () => {
    const holder = await world.holder({}, SECONDS_NANO - 1n)
    expectError(await send(holder.secret), { condition: 'no_quota' })
    const fundedHolder = await world.holder({}, SECONDS_NANO)
    world.vendor.answer(answer({ text: 'Hello there.' }))
    expect((await send(fundedHolder.secret)).status).toBe(200)
  })
})
