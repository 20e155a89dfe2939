import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, headersOf, newClientIp, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { geminiAnswer, RECORDED_DIR, recordedExists } from '../fakes/bridged-vendors.ts'
import { type FormFields, formBody } from '../fakes/form-body.ts'
import { pngOf } from '../fakes/image-vendor.ts'
import { type Call, type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { wavOf } from '../fakes/wav.ts'
import { addModel } from '../support/fixtures.ts'

const SECRET = 'media-secret-Qw9eRt5y'
/** Nano-dollars per million images that cost one cent each. */
const CENT = 10_000_000n
const IMAGE_UNITS = { image: String(CENT * 1_000_000n) }
const SECOND_UNITS = { audio_second: '100000000000' }
const CHARACTER_UNITS = { character: '15000000000' }
const PNG = pngOf()

// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
type Json = any

let world: ApiWorld
/** Another origin inside this network, from which results must not be fetched. */
let stranger: FakeVendor

const MODELS: [id: string, kind: string, modality: string, upstreamModel: string, units: object, more?: object][] = [
  ['image/fal', 'fal', 'image', 'fal-ai/flux/dev', IMAGE_UNITS],
  ['image/replicate', 'replicate', 'image', 'black-forest-labs/flux-schnell', IMAGE_UNITS],
  ['image/luma', 'luma', 'image', 'photon-1', IMAGE_UNITS],
  ['image/bfl', 'black-forest-labs', 'image', 'flux-pro-1.1', IMAGE_UNITS],
  ['image/google', 'google', 'image', 'gemini-2.5-flash-image', IMAGE_UNITS],
  ['image/edits', 'fal', 'image', 'fal-ai/flux/dev/image-to-image', IMAGE_UNITS, { capabilities: ['edits'] }],
  ['speech/elevenlabs', 'elevenlabs', 'speech', 'eleven_v3', CHARACTER_UNITS],
  ['speech/deepgram', 'deepgram', 'speech', 'aura-2-thalia-en', CHARACTER_UNITS],
  ['hears/elevenlabs', 'elevenlabs', 'transcription', 'scribe_v1', SECOND_UNITS],
  ['hears/deepgram', 'deepgram', 'transcription', 'nova-3', SECOND_UNITS],
  ['hears/assemblyai', 'assemblyai', 'transcription', 'best', SECOND_UNITS],
  ['hears/fal', 'fal', 'transcription', 'wizper', SECOND_UNITS],
  ['embed/google', 'google', 'embedding', 'gemini-embedding-001', { input: '150000000' }],
  ['embed/cohere', 'cohere', 'embedding', 'embed-v4.0', { input: '150000000' }],
  ['embed/mistral', 'mistral', 'embedding', 'mistral-embed', { input: '150000000' }],
]

beforeAll(async () => {
  world = await openApiWorld()
  stranger = await startFakeVendor()
  const baseUrl = new URL(world.vendor.url).origin
  for (const [id, kind, modality, upstreamModel, units, more = {}] of MODELS)
    await addModel(world.pool, { id, kind, modality, upstreamModel, units: units as never, baseUrl, secret: SECRET, ...more })
  await untilModelKnown(world, 'embed/mistral')
})
afterAll(async () => {
  await stranger?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const origin = (): string => new URL(world.vendor.url).origin
const calls = (from: number): Call[] => world.vendor.calls.slice(from)

async function post(path: string, body: object) {
  const holder = await world.holder()
  const before = world.vendor.calls.length
  const answer = await world.send({ path, headers: headersOf(holder.secret), body: JSON.stringify(body) })
  return { holder, answer, sent: calls(before) }
}

async function postForm(path: string, fields: FormFields) {
  const holder = await world.holder()
  const before = world.vendor.calls.length
  const { type, body } = formBody(fields)
  const headers: [string, string][] = [
    ['authorization', `Bearer ${holder.secret}`],
    ['content-type', type],
    ['x-forwarded-for', newClientIp()],
  ]
  const answer = await world.send({ path, headers, body })
  return { holder, answer, sent: calls(before) }
}

const sendPng = ({ response }: Call): void => void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG)

/** How each image vendor answers, with its results at a given address. */
const IMAGES: Record<
  string,
  { answer(results: () => string): (call: Call) => void; expectedBody: object; expectedPath: string }
> = {
  'image/fal': {
    expectedPath: '/fal-ai/flux/dev',
    expectedBody: { prompt: 'a cat', image_size: { width: 1024, height: 768 }, num_images: 1 },
    answer: (results) => (call) =>
      call.path.startsWith('/result')
        ? sendPng(call)
        : sendJson(call, { images: [{ url: `${results()}/result.png` }], prompt: 'a cat' }),
  },
  'image/replicate': {
    expectedPath: '/v1/models/black-forest-labs/flux-schnell/predictions',
    expectedBody: { input: { prompt: 'a cat', aspect_ratio: '4:3', num_outputs: 1 } },
    answer: (results) => (call) => {
      if (call.path.startsWith('/result')) return sendPng(call)
      const urls = { get: `${origin()}/v1/predictions/p1` }
      // It has started when it answers, and is done at the next poll.
      const done = call.request.method === 'GET'
      sendJson(call, {
        id: 'p1',
        status: done ? 'succeeded' : 'starting',
        output: done ? [`${results()}/result.png`] : null,
        urls,
      })
    },
  },
  'image/luma': {
    expectedPath: '/dream-machine/v1/generations/image',
    expectedBody: { prompt: 'a cat', aspect_ratio: '4:3', model: 'photon-1' },
    answer: (results) => (call) => {
      if (call.path.startsWith('/result')) return sendPng(call)
      const done = call.request.method === 'GET'
      sendJson(call, {
        id: 'g1',
        state: done ? 'completed' : 'queued',
        assets: done ? { image: `${results()}/result.png` } : null,
      })
    },
  },
  'image/bfl': {
    expectedPath: '/v1/flux-pro-1.1',
    expectedBody: { prompt: 'a cat', width: 1024, height: 768 },
    answer: (results) => (call) => {
      if (call.path.startsWith('/result')) return sendPng(call)
      if (call.request.method === 'POST') sendJson(call, { id: 'b1', polling_url: `${origin()}/v1/get_result?id=b1` })
      else sendJson(call, { id: 'b1', status: 'Ready', result: { sample: `${results()}/result.png` } })
    },
  },
  'image/google': {
    expectedPath: '/v1beta/models/gemini-2.5-flash-image:generateContent',
    expectedBody: {
      contents: [{ parts: [{ text: 'a cat' }] }],
      generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '4:3' } },
    },
    answer: () => (call) =>
      sendJson(call, geminiAnswer([{ inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } }])),
  },
}

describe('images', () => {
  test.each(Object.entries(IMAGES))('%s', async (model, { answer: say, expectedBody, expectedPath }) => {
    world.vendor.answer(say(origin))
    const body = { model, prompt: 'a cat', size: '1024x768', response_format: 'b64_json', style: 'vivid' }
    const { holder, answer, sent } = await post('/v1/images/generations', body)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json().data).toEqual([{ b64_json: PNG.toString('base64') }])
    expect(answer.header('x-tollgate-ignored')).toContain('style')
    const posted = sent.filter(({ request }) => request.method === 'POST')
    expect(posted).toHaveLength(1)
    expect(posted[0]?.path).toBe(expectedPath)
    expect(posted[0]?.body).toMatchObject(expectedBody)
    expect(JSON.stringify(posted[0]?.headers)).toContain(SECRET)
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', charged: CENT })
    await world.expectSettledBooks(holder, 1)
  })

  test.each(Object.entries(IMAGES).filter(([model]) => model !== 'image/google'))(
    '%s: a result inside this network, but not at the vendor, is not fetched, and costs nothing',
    async (model, { answer: say }) => {
      const before = stranger.calls.length
      world.vendor.answer(say(() => new URL(stranger.url).origin))
      const { holder, answer } = await post('/v1/images/generations', { model, prompt: 'a cat' })
      expect(answer.status).toBe(500)
      expect(stranger.calls.length).toBe(before)
      expect((await world.record(holder.accountId)).charged).toBe(0n)
      await world.expectSettledBooks(holder, 1)
    },
  )

  test('three images are three requests of a vendor that makes one at a time; those that came are paid', async () => {
    let postCount = 0
    world.vendor.answer((call) => {
      if (call.path.startsWith('/result')) return sendPng(call)
      postCount++
      if (postCount === 2) sendJson(call, { detail: [{ loc: ['body'], msg: 'unlucky', type: 'x' }] }, 500)
      else sendJson(call, { images: [{ url: `${origin()}/result.png` }] })
    })
    const { holder, answer } = await post('/v1/images/generations', { model: 'image/fal', prompt: 'a cat', n: 3 })
    expect(answer.status, answer.text).toBe(200)
    expect(postCount).toBe(3)
    expect(answer.json().data).toHaveLength(2)
    expect((await world.record(holder.accountId)).charged).toBe(CENT * 2n)
  })

  test('edits take the images that came', async () => {
    world.vendor.answer(IMAGES['image/fal']?.answer(origin) ?? sendPng)
    const file = { filename: 'a.png', content: PNG }
    const { answer, sent } = await postForm('/v1/images/edits', [
      ['model', 'image/edits'],
      ['prompt', 'a dog'],
      ['image', file],
      ['mask', file],
    ])
    expect(answer.status, answer.text).toBe(200)
    const data = `data:image/png;base64,${PNG.toString('base64')}`
    expect(sent[0]?.body).toMatchObject({ prompt: 'a dog', image_url: data, mask_url: data })
  })

  test.each<[string, number, object, 'invalid_request' | 'unavailable' | 'too_many_requests' | 'vendor_failed']>([
    ['image/fal', 422, { detail: [{ loc: ['body', 'prompt'], msg: 'bad prompt', type: 'x' }] }, 'invalid_request'],
    ['image/fal', 401, { detail: 'Cannot access application' }, 'unavailable'],
    ['image/replicate', 402, { title: 'Insufficient credit', detail: 'pay', status: 402 }, 'unavailable'],
    ['image/replicate', 429, { detail: 'throttled' }, 'too_many_requests'],
    ['image/replicate', 201, { id: 'p', status: 'failed', error: 'NSFW content', urls: { get: 'http://x/' } }, 'vendor_failed'],
    ['image/luma', 400, { detail: [{ msg: 'bad prompt' }] }, 'invalid_request'],
    ['image/bfl', 422, { detail: [{ loc: ['body', 'width'], msg: 'too wide', type: 'x' }] }, 'invalid_request'],
    ['image/google', 400, { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }, 'invalid_request'],
  ])('%s: an error %d %j', async (model, status, text, condition) => {
    world.vendor.answer((call) => sendJson(call, text, status))
    const { holder, answer } = await post('/v1/images/generations', { model, prompt: 'a cat' })
    const { param } = answer.error()
    expectError(answer, { condition, param, ...(condition === 'invalid_request' ? { message: /says: \S/ } : {}) })
    expect((await world.record(holder.accountId)).charged).toBe(0n)
  })
})

describe('speech', () => {
  const SOUND = Buffer.from('ID3 a sound of a fake vendor')
  const sendSound = ({ response }: Call): void => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(SOUND)

  test.each<[string, object, string, object, string | null]>([
    [
      'speech/elevenlabs',
      { voice: '21m00Tcm4TlvDq8ikWAM', speed: 1.1, instructions: 'sadly' },
      '/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM?output_format=mp3_44100_128',
      { text: 'Hello', model_id: 'eleven_v3', voice_settings: { speed: 1.1 } },
      'instructions',
    ],
    [
      'speech/deepgram',
      { voice: 'thalia', speed: 2 },
      '/v1/speak?model=aura-2-thalia-en&encoding=mp3',
      { text: 'Hello' },
      'speed, voice',
    ],
  ])('%s', async (model, body, path, sentBody, ignored) => {
    world.vendor.answer(sendSound)
    const { holder, answer, sent } = await post('/v1/audio/speech', { model, input: 'Hello', ...body })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toEqual(SOUND)
    expect(answer.header('content-type')).toBe('audio/mpeg')
    expect(answer.header('x-tollgate-ignored')).toBe(ignored)
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ path, body: sentBody })
    // Five characters.
    expect((await world.record(holder.accountId)).charged).toBe(75_000n)
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['speech/elevenlabs', 'output_format=pcm_24000'],
    ['speech/deepgram', 'encoding=linear16'],
  ])('%s: raw sound is of 24 kHz, as OpenAI has it', async (model, expectedQuery) => {
    world.vendor.answer(({ response }) => void response.writeHead(200, { 'content-type': 'audio/pcm' }).end(SOUND))
    const { answer, sent } = await post('/v1/audio/speech', { model, input: 'Hello', voice: 'v', response_format: 'pcm' })
    expect([answer.status, answer.header('content-type')]).toEqual([200, 'audio/pcm'])
    expect(sent[0]?.path).toContain(expectedQuery)
  })

  test.each([
    ['../../v1/voices/add', 'voice'],
    ['a?b=c', 'voice'],
  ])('a voice such as %s leads nowhere', async (voice, param) => {
    await world.expectRefused(
      (secret) => ({
        path: '/v1/audio/speech',
        headers: headersOf(secret),
        body: JSON.stringify({ model: 'speech/elevenlabs', input: 'x', voice }),
      }),
      { condition: 'invalid_request', param },
    )
  })

  test('a format that the vendor does not have is refused before money is held', async () => {
    await world.expectRefused(
      (secret) => ({
        path: '/v1/audio/speech',
        headers: headersOf(secret),
        body: JSON.stringify({ model: 'speech/elevenlabs', input: 'x', voice: 'v', response_format: 'flac' }),
      }),
      { condition: 'invalid_request', param: 'response_format' },
    )
  })

  test('an error keeps its words', async () => {
    world.vendor.answer((call) => sendJson(call, { detail: { status: 'voice_not_found', message: 'No such voice here.' } }, 400))
    const { answer } = await post('/v1/audio/speech', { model: 'speech/elevenlabs', input: 'x', voice: 'v' })
    expectError(answer, { condition: 'invalid_request', message: /No such voice here/ })
  })
})

describe.skipIf(!recordedExists)(`transcriptions (${recordedExists ? 'recorded' : 'skipped: no ../shared/reference'})`, () => {
  const recorded = (file: string): object => JSON.parse(readFileSync(resolve(RECORDED_DIR, file), 'utf8'))
  const FILE: FormFields = [['file', { filename: 'a.wav', content: wavOf(2.4) }]]
  const VERBOSE: FormFields = [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ]

  /** What each vendor does with a file, and what its recorded answer says. */
  const VENDORS: Record<string, { answer(call: Call): void; paths: string[]; expectedText: RegExp }> = {
    'hears/elevenlabs': {
      answer: (call) => sendJson(call, recorded('elevenlabs/elevenlabs-transcription.json')),
      paths: ['/v1/speech-to-text'],
      expectedText: /^Hello from the Vercel AI SDK\.$/,
    },
    'hears/deepgram': {
      answer: (call) => sendJson(call, recorded('deepgram/deepgram-transcription.json')),
      paths: ['/v1/listen?'],
      expectedText: /^galileo was an american robotic/,
    },
    'hears/fal': {
      answer: (call) =>
        sendJson(call, recorded(`fal/fal-transcription-${call.request.method === 'GET' ? 'result' : 'queue'}.json`)),
      paths: ['/fal-ai/wizper', '/fal-ai/wizper/requests/test-id'],
      expectedText: /^Hello from the Versal AISDK\.$/,
    },
    'hears/assemblyai': {
      answer: (call) => {
        if (call.path === '/v2/upload') return sendJson(call, { upload_url: 'https://cdn.assemblyai.com/upload/1' })
        const words = [{ text: 'Hello.', start: 250, end: 900, confidence: 1, speaker: null }]
        const done = { id: 't1', status: 'completed', text: 'Hello.', language_code: 'en', words, audio_duration: 2 }
        sendJson(call, call.request.method === 'GET' ? done : { id: 't1', status: 'queued' })
      },
      paths: ['/v2/upload', '/v2/transcript', '/v2/transcript/t1'],
      expectedText: /^Hello\.$/,
    },
  }

  test.each(Object.entries(VENDORS))('%s', async (model, { answer: say, paths, expectedText }) => {
    world.vendor.answer(say)
    const { holder, answer, sent } = await postForm('/v1/audio/transcriptions', [
      ['model', model],
      ...VERBOSE,
      ['prompt', 'x'],
      ...FILE,
    ])
    expect(answer.status, answer.text).toBe(200)
    const { text, segments, words, language } = answer.json() as Json
    expect(text).toMatch(expectedText)
    expect(typeof language).toBe('string')
    for (const list of [segments, words]) expect(list.length).toBeGreaterThan(0)
    expect(words.length).toBeGreaterThanOrEqual(segments.length)
    for (const { start, end } of [...segments, ...words]) expect(end).toBeGreaterThanOrEqual(start)
    expect(answer.header('x-tollgate-ignored')).toBe('prompt')
    expect(sent.map(({ path }, at) => path.startsWith(paths[at] ?? '?'))).toEqual(paths.map(() => true))
    // 2.4 seconds are billed as three, whatever the vendor heard.
    expect((await world.record(holder.accountId)).charged).toBe(300_000n)
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['one that nobody named is found out', [], null],
    ['one that was named is told', [['language', 'de']], 'de'],
  ] as [string, [string, string][], string | null][])('hears/fal: a language, %s', async (_, more, language) => {
    world.vendor.answer(VENDORS['hears/fal']?.answer ?? (() => undefined))
    const { answer, sent } = await postForm('/v1/audio/transcriptions', [['model', 'hears/fal'], ...more, ...FILE])
    expect(answer.status, answer.text).toBe(200)
    expect(sent[0]?.body).toMatchObject({ language, chunk_level: 'word', task: 'transcribe' })
  })

  test('work that failed at the vendor costs nothing', async () => {
    world.vendor.answer((call) => {
      if (call.path === '/v2/upload') return sendJson(call, { upload_url: 'https://cdn.assemblyai.com/upload/1' })
      sendJson(
        call,
        call.request.method === 'GET' ? { id: 't', status: 'error', error: 'no speech' } : { id: 't', status: 'queued' },
      )
    })
    const { holder, answer } = await postForm('/v1/audio/transcriptions', [['model', 'hears/assemblyai'], ...FILE])
    expectError(answer, { condition: 'vendor_failed' })
    expect((await world.record(holder.accountId)).charged).toBe(0n)
    await world.expectSettledBooks(holder, 1)
  })
})

describe('embeddings', () => {
  const VECTORS = [
    [0.5, -0.25],
    [1, 0],
  ]

  test.each<[string, object, object, string, object, bigint | null]>([
    [
      'embed/google',
      { dimensions: 2 },
      { embeddings: VECTORS.map((values) => ({ values })) },
      '/v1beta/models/gemini-embedding-001:batchEmbedContents',
      { requests: [{ outputDimensionality: 2 }, { outputDimensionality: 2 }] },
      // It does not say how many tokens it read.
      null,
    ],
    [
      'embed/cohere',
      { input_type: 'search_query' },
      { embeddings: { float: VECTORS }, meta: { billed_units: { input_tokens: 100 } } },
      '/v2/embed',
      { input_type: 'search_query', texts: ['a', 'b'] },
      15_000n,
    ],
    [
      'embed/mistral',
      { dimensions: 2 },
      { data: VECTORS.map((embedding) => ({ embedding })), usage: { prompt_tokens: 40, total_tokens: 40 } },
      '/v1/embeddings',
      { model: 'mistral-embed', input: ['a', 'b'], output_dimension: 2 },
      6_000n,
    ],
  ])('%s', async (model, more, vendorAnswer, path, sentBody, charged) => {
    world.vendor.answer((call) => sendJson(call, vendorAnswer))
    const { holder, answer, sent } = await post('/v1/embeddings', { model, input: ['a', 'b'], ...more })
    expect(answer.status, answer.text).toBe(200)
    expect((answer.json() as Json).data.map(({ embedding }: { embedding: number[] }) => embedding)).toEqual(VECTORS)
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ path, body: sentBody })
    const record = await world.record(holder.accountId)
    expect(record.estimated).toBe(charged === null)
    if (charged !== null) expect(record.charged).toBe(charged)
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['one text', [9906, 1917], ['Hello world']],
    ['several texts', [[9906, 1917], [2822]], ['Hello world', 'No']],
  ])('tokens of %s, as LangChain sends them, become texts', async (_, input, texts) => {
    world.vendor.answer((call) =>
      sendJson(call, { embeddings: { float: texts.map(() => [1, 0]) }, meta: { billed_units: { input_tokens: 3 } } }),
    )
    const { holder, answer, sent } = await post('/v1/embeddings', { model: 'embed/cohere', input })
    expect(answer.status, answer.text).toBe(200)
    expect(sent[0]).toMatchObject({ body: { texts } })
    expect((await world.record(holder.accountId)).charged).toBe(450n)
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['input', [1, 200_000]],
    ['input[1]', [[9906], [200_000]]],
  ])('tokens that are no text are refused: %s', async (param, input) => {
    await world.expectRefused(
      (secret) => ({
        path: '/v1/embeddings',
        headers: headersOf(secret),
        body: JSON.stringify({ model: 'embed/cohere', input }),
      }),
      { condition: 'invalid_request', param },
    )
  })

  test('what a vendor takes in parts is asked for in parts, and comes back in order', async () => {
    let requestCount = 0
    world.vendor.answer((call) => {
      requestCount++
      const { texts } = call.body as { texts: string[] }
      sendJson(call, {
        embeddings: { float: texts.map((text) => [Number(text)]) },
        meta: { billed_units: { input_tokens: texts.length } },
      })
    })
    const input = Array.from({ length: 200 }, (_, at) => String(at))
    const { holder, answer } = await post('/v1/embeddings', { model: 'embed/cohere', input })
    expect(answer.status, answer.text).toBe(200)
    expect(requestCount).toBe(3)
    expect((answer.json() as Json).data.map(({ embedding }: { embedding: number[] }) => embedding[0])).toEqual(input.map(Number))
    expect((await world.record(holder.accountId)).charged).toBe(30_000n)
  })
  test('where a part fails, no more than a few were asked for, and none of them goes on', async () => {
    let [requestCount, abortedCount] = [0, 0]
    world.vendor.answer((call) => {
      requestCount++
      if (requestCount === 1) setTimeout(() => sendJson(call, { message: 'too many' }, 429), 50)
      else call.response.on('close', () => abortedCount++)
    })
    const input = Array.from({ length: 96 * 10 }, (_, at) => String(at))
    const { holder, answer } = await post('/v1/embeddings', { model: 'embed/cohere', input })
    expectError(answer, { condition: 'too_many_requests' })
    expect(requestCount).toBe(4)
    await expect.poll(() => abortedCount).toBe(3)
    expect((await world.record(holder.accountId)).charged).toBe(0n)
    await world.expectSettledBooks(holder, 1)
  })
})
