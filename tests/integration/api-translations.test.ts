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
import { type Call, sendJson } from '../fakes/vendor.ts'
import { respondError } from '../fakes/vendor-faults.ts'
import { wavOf } from '../fakes/wav.ts'
import { addDeployment, addModel } from '../support/fixtures.ts'
import { historyOf } from '../support/history.ts'

const WAV = wavOf(2.4)
/** 2.4 seconds are billed as three, at $100 per million. */
const SECONDS_NANO = 300_000n
const TOKENS = { type: 'tokens', input_tokens: 30, input_token_details: { text_tokens: 6, audio_tokens: 24 }, output_tokens: 4 }
/** 6 tokens at $2.50, 24 at $6 and 4 at $10 per million. */
const TOKENS_NANO = 15_000n + 144_000n + 40_000n
const VERBOSE = {
  task: 'translate',
  language: 'english',
  duration: 2.4,
  text: 'Good day.',
  segments: [{ id: 0, start: 0, end: 2.4, text: ' Good day.' }],
}
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const vendor = { baseUrl: world.vendor.url, upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET, modality: 'transcription' }
  const seconds = { audio_second: '100000000000' }
  await addModel(world.pool, { id: 'fake/hears', ...vendor, units: seconds })
  const units = { input: '2500000000', audio_input: '6000000000', output: '10000000000' }
  await addModel(world.pool, { id: 'fake/counts', ...vendor, units, capabilities: ['streaming'] })
  await addModel(world.pool, { id: 'fake/deepgram', ...vendor, kind: 'deepgram', units: seconds })
  await addModel(world.pool, { id: 'fake/mixed', ...vendor, kind: 'deepgram', units: seconds, priority: 0 })
  await addDeployment(world.pool, 'fake/mixed', { ...vendor, priority: 1 })
  await addModel(world.pool, { id: 'fake/groq', ...vendor, kind: 'deepgram', units: seconds, priority: 0 })
  await addDeployment(world.pool, 'fake/groq', { ...vendor, kind: 'groq', priority: 1 })
  await addModel(world.pool, { id: 'fake/twice', ...vendor, units: seconds, priority: 0 })
  await addDeployment(world.pool, 'fake/twice', { ...vendor, priority: 1 })
  await addModel(world.pool, { id: 'fake/plain', ...vendor, units: seconds, facts: { formats: ['json', 'diarized_json'] } })
  await untilModelKnown(world, 'fake/plain')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const FILE: FormFields = [['file', { filename: 'gruss.wav', content: WAV }]]

const requestOf = (secret: string, model: string, extraFields: FormFields, path = '/v1/audio/translations') => {
  const form = formBody([['model', model], ...extraFields, ...FILE])
  const headers: [string, string][] = [
    ['authorization', `Bearer ${secret}`],
    ['content-type', form.type],
    ['x-forwarded-for', newClientIp()],
  ]
  return { path, headers, body: form.body }
}
const send = (secret: string, extraFields: FormFields = [], model = 'fake/hears') =>
  world.send(requestOf(secret, model, extraFields))
const lastCall = (): Call => world.vendor.calls.at(-1) ?? expect.fail('the vendor was not called')
const answer = (value: object) => (call: Call) => sendJson(call, value)

describe('a translation', () => {
  test('is asked for at the vendor’s own address with all that came, costs its seconds, and is kept as its text', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Good day.' }))
    const texts = { prompt: 'Names: Søren', temperature: '0.2', future: 'kept' }
    const response = await send(holder.secret, [...Object.entries(texts), ['stream', 'false']])
    expect(response.status, response.text).toBe(200)
    expect(response.json()).toEqual({ text: 'Good day.', usage: { type: 'duration', seconds: 3, cost: 0.0003 } })
    const { form, path } = lastCall()
    expect(path).toBe('/v1/audio/translations')
    const vendorFields = [...(form?.entries() ?? [])].filter(([, value]) => typeof value === 'string')
    expect(Object.fromEntries(vendorFields)).toEqual({ model: UPSTREAM_MODEL, response_format: 'json', ...texts })
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ charged: SECONDS_NANO, estimated: false })
    const { rows } = await world.pool.query('SELECT endpoint FROM usage_record WHERE id = $1', [record.id])
    expect(rows).toEqual([{ endpoint: 'audio.translations' }])
    expect(await historyOf(world.pool, record.id)).toMatchObject({ answer: { text: 'Good day.', duration: 2.4 } })
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['text', 'text/plain; charset=utf-8', 'Good day.\n', 'json'],
    ['srt', 'text/plain; charset=utf-8', '1\n00:00:00,000 --> 00:00:02,400\nGood day.\n\n', 'verbose_json'],
    ['vtt', 'text/vtt; charset=utf-8', 'WEBVTT\n\n00:00:00.000 --> 00:00:02.400\nGood day.\n\n', 'verbose_json'],
  ])('comes as %s', async (format, type, text, vendorFormat) => {
    const holder = await world.holder()
    world.vendor.answer(answer(VERBOSE))
    const response = await send(holder.secret, [['response_format', format]])
    expect([response.status, response.header('content-type'), response.body.toString()]).toEqual([200, type, text])
    expect(lastCall().form?.get('response_format')).toBe(vendorFormat)
    await world.expectSettledBooks(holder, 1)
  })

  test('comes with its segments, and says that it is English', async () => {
    const holder = await world.holder()
    const { language: _, ...own } = VERBOSE
    world.vendor.answer(answer(own))
    const response = await send(holder.secret, [['response_format', 'verbose_json']])
    expect(response.json()).toMatchObject({ ...VERBOSE, usage: { type: 'duration', seconds: 3, cost: 0.0003 } })
  })

  test('by tokens costs the vendor’s, or an estimate where it tells none', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Good day.', usage: TOKENS }))
    expect((await send(holder.secret, [], 'fake/counts')).json()).toMatchObject({ usage: { ...TOKENS, cost: 0.000199 } })
    expect(await world.record(holder.accountId)).toMatchObject({ charged: TOKENS_NANO, estimated: false })
    const other = await world.holder()
    world.vendor.answer(answer({ text: 'Good day.' }))
    expect((await send(other.secret, [], 'fake/counts')).status).toBe(200)
    expect(await world.record(other.accountId)).toMatchObject({ estimated: true })
    for (const each of [holder, other]) await world.expectSettledBooks(each, 1)
  })
})

describe('a model that does not translate', () => {
  test('by what its vendor offers is a 400 before anything is held', async () => {
    const calls = world.vendor.calls.length
    await world.expectRefused((secret) => requestOf(secret, 'fake/deepgram', []), {
      condition: 'invalid_request',
      param: 'model',
      message: /does not offer POST \/v1\/audio\/translations/,
    })
    expect(world.vendor.calls.length).toBe(calls)
  })

  test('is passed over where another deployment translates', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ text: 'Good day.' }))
    expect((await send(holder.secret, [], 'fake/mixed')).status).toBe(200)
    expect(lastCall().path).toBe('/v1/audio/translations')
    await world.expectSettledBooks(holder, 1)
  })

  test('by what its vendor says is that vendor’s 400, and free', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondError(400, { message: 'This model does not translate.', param: 'model' }))
    const response = await send(holder.secret)
    expect([response.status, response.error().code]).toEqual([400, 'invalid_request_error'])
    expect(await world.record(holder.accountId)).toMatchObject({ charged: 0n })
    await world.expectSettledBooks(holder, 1)
  })

  test.each([404, 405, 501])('by its server, which has no such address (%i), is a 400 that no breaker counts', async (status) => {
    const holder = await world.holder()
    world.vendor.answer(respondError(status, { message: 'Not Found' }))
    for (let time = 0; time < 8; time++)
      expectError(await send(holder.secret), { condition: 'invalid_request', param: 'model', message: /does not offer/ })
    world.vendor.answer(answer({ text: 'Guten Tag.' }))
    expect((await world.send(requestOf(holder.secret, 'fake/hears', [], '/v1/audio/transcriptions'))).status).toBe(200)
    await world.expectSettledBooks(holder, 9)
  })

  test.each([400, 404])('at one of its deployments (%i) is translated by the next', async (status) => {
    const holder = await world.holder()
    const calls = world.vendor.calls.length
    const respondUnsupported = respondError(status, { message: 'This model does not translate.' })
    world.vendor.answer((call) =>
      world.vendor.calls.length > calls + 1 ? sendJson(call, { text: 'Good day.' }) : respondUnsupported(call),
    )
    expect((await send(holder.secret, [], 'fake/twice')).json()).toMatchObject({ text: 'Good day.' })
    expect(await world.record(holder.accountId)).toMatchObject({ charged: SECONDS_NANO })
    await world.expectSettledBooks(holder, 1)
  })

  test('hears which field is at fault where another vendor of it translates', async () => {
    const fields: FormFields = [['search_settings', '{}']]
    const refusal = { condition: 'invalid_request', param: 'search_settings' } as const
    await world.expectRefused((secret) => requestOf(secret, 'fake/groq', fields), refusal)
  })

  test.each([
    ['url', 'https://example.com/ten-hours.mp3'],
    ['file_id', 'file-1'],
  ])('takes no %s in place of an upload, and neither do transcriptions', async (param, value) => {
    for (const path of ['/v1/audio/translations', '/v1/audio/transcriptions']) {
      const refusal = { condition: 'invalid_request', param } as const
      await world.expectRefused((secret) => requestOf(secret, 'fake/hears', [[param, value]], path), refusal)
    }
  })

  test('suggests no format that it does not have', async () => {
    const { secret } = await world.holder()
    const response = await send(secret, [['response_format', 'srt']], 'fake/plain')
    expectError(response, {
      condition: 'invalid_request',
      param: 'response_format',
      message: /Ask for one of these: json, text\./,
    })
  })

  test('has a length that its server wrote as a text', async () => {
    const holder = await world.holder()
    world.vendor.answer(answer({ ...VERBOSE, duration: '2.4' }))
    const response = await send(holder.secret, [['response_format', 'verbose_json']])
    expect(response.json()).toMatchObject({ duration: 2.4, text: 'Good day.' })
    await world.expectSettledBooks(holder, 1)
  })
})

test.each<[string, FormFields, string, string?]>([
  ['a stream', [['stream', 'true']], 'stream'],
  ['a stream of perhaps', [['stream', 'perhaps']], 'stream'],
  ['speakers told apart', [['response_format', 'diarized_json']], 'response_format'],
  ['a format that is none', [['response_format', 'docx']], 'response_format'],
  ['a temperature of 2', [['temperature', '2']], 'temperature'],
  ['a temperature in words', [['temperature', 'hot']], 'temperature'],
  [
    'a prompt twice',
    [
      ['prompt', 'a'],
      ['prompt', 'b'],
    ],
    'prompt',
  ],
  ['a tier that has no price', [['service_tier', 'priority']], 'service_tier'],
  ['two files', FILE, 'file'],
  ['a model that chats', [], 'model', 'fake/chat'],
])('%s is a 400 that names the field', async (_, more, param, model = 'fake/hears') => {
  await world.expectRefused((secret) => requestOf(secret, model, more), { condition: 'invalid_request', param })
})

test('the address without /v1 is told where the API is', async () => {
  const holder = await world.holder()
  const response = await world.send(requestOf(holder.secret, 'fake/hears', [], '/audio/translations'))
  expect([response.status, response.text]).toEqual([404, expect.stringContaining('/v1')])
})
