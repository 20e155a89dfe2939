import { setTimeout as sleep } from 'node:timers/promises'
import { BadRequestError, toFile } from 'openai'
import { describe, expect, test } from 'vitest'
import { type Call, sendEvent, sendJson, startStream } from '../fakes/vendor.ts'
import { respondBytes } from '../fakes/vendor-faults.ts'
import { wavOf } from '../fakes/wav.ts'
import { loadOpenAiDocument } from '../support/openai-document.ts'
import { AIMOCK_SOUND, AIMOCK_TRANSCRIPT, AIMOCK_TRANSCRIPT_USAGE } from './aimock-fixtures.ts'
import { costOf, expectRejection, readAll } from './expectations.ts'
import { eventsOf } from './recorder.ts'
import type { Host } from './world.ts'

const document = loadOpenAiDocument()
const SOUND = Buffer.from(Array.from({ length: 9000 }, (_, at) => (at * 13) % 256))
const WAV = wavOf(2.4)
const TEXT = 'Hello there.'
/** 12 characters at $15 per million. */
const SPEECH_COST_NANO = 180_000n
/** Billed as three seconds. */
const TRANSCRIPTION_COST_NANO = 300_000n
const SPEECH_USAGE = { input_tokens: 14, output_tokens: 101, total_tokens: 115 }
const SEGMENTS = [
  { id: 0, start: 0, end: 1.1, text: ' Hello' },
  { id: 1, start: 1.1, end: 2.4, text: ' there.' },
].map((item) => ({ ...item, seek: 0, tokens: [1], temperature: 0, avg_logprob: -0.1, compression_ratio: 1, no_speech_prob: 0 }))
const VERBOSE = { task: 'transcribe', language: 'english', duration: 2.4, text: TEXT, segments: SEGMENTS }

const lastCall = (host: Host): Call => host.vendor.calls.at(-1) ?? expect.fail('the vendor was not called')
const wav = () => toFile(WAV, 'hello.wav', { type: 'audio/wav' })

/** Turns a form into the object that OpenAI's document describes. */
function fieldsOf(form: FormData): Record<string, unknown> {
  const sent: Record<string, unknown> = {}
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name).map((value) => (typeof value === 'string' ? value : 'a file'))
    const plain = name.replace(/\[\]$/, '')
    const [first] = values
    sent[plain] =
      plain !== name ? values : plain === 'temperature' ? Number(first) : plain === 'stream' ? first === 'true' : first
  }
  return sent
}

/** Expects that the request to the vendor is valid by OpenAI's document, if there is one. */
function expectValidRequest({ path, body, form }: Call): void {
  if (!document) return
  const schema = path.endsWith('/translations') ? 'CreateTranslationRequest' : 'CreateTranscriptionRequest'
  const found = form ? document.findProblems(schema, fieldsOf(form)) : document.findProblems('CreateSpeechRequest', body)
  expect(found).toEqual([])
}

function sendSpeechEvents(call: Call): void {
  startStream(call)
  for (const part of [SOUND.subarray(0, 4000), SOUND.subarray(4000)])
    sendEvent(call, { type: 'speech.audio.delta', audio: part.toString('base64') })
  sendEvent(call, { type: 'speech.audio.done', usage: SPEECH_USAGE })
  call.response.end()
}

function speechCases(host: Host): void {
  const { speaks, says } = host.audioModels
  const ask = { input: TEXT, voice: 'alloy' }

  test('a text is spoken', async () => {
    const account = await host.newAccount()
    host.vendor.answer(respondBytes(SOUND, 1000, 'audio/mpeg'))
    const answer = await host
      .openai({ apiKey: account.key })
      .audio.speech.create({ model: speaks, ...ask, speed: 1.25, instructions: 'Calmly.' })
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(SOUND)
    expect(await account.spent()).toBe(SPEECH_COST_NANO)
    expectValidRequest(lastCall(host))
  })

  test('its first bytes come before its last', async () => {
    let end = (): void => undefined
    host.vendor.answer(({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/wav' }).write(SOUND.subarray(0, 5000))
      end = () => response.end(SOUND.subarray(5000))
    })
    const answer = await host.openai().audio.speech.create({ model: speaks, ...ask, response_format: 'wav' })
    let received = Buffer.alloc(0)
    for await (const piece of answer.body ?? []) {
      received = Buffer.concat([received, piece])
      if (received.length === 4999) end()
    }
    expect(received).toEqual(SOUND)
  })

  test('what is billed by tokens is asked for as events, and spoken all the same', async () => {
    const account = await host.newAccount()
    host.vendor.answer(sendSpeechEvents)
    const answer = await host.openai({ apiKey: account.key }).audio.speech.create({ model: says, ...ask })
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(SOUND)
    expect(await account.spent()).toBe(1_220_400n)
    expectValidRequest(lastCall(host))
  })

  test.each(['speaks', 'says'] as const)('events can be had of a model that %s', async (name) => {
    const account = await host.newAccount()
    host.vendor.answer(name === 'says' ? sendSpeechEvents : respondBytes(SOUND, 1000, 'audio/mpeg'))
    const client = host.openai({ apiKey: account.key })
    const answer = await client.audio.speech.create({ model: host.audioModels[name], ...ask, stream_format: 'sse' })
    const events = eventsOf(await answer.text()).map((data) => JSON.parse(data) as { audio?: string; usage?: object })
    expect(Buffer.concat(events.map(({ audio = '' }) => Buffer.from(audio, 'base64')))).toEqual(SOUND)
    expect(await account.spent()).toBe(costOf(events.at(-1)?.usage))
    expectValidRequest(lastCall(host))
  })

  test('a vendor that breaks off is an error, not a short sound', async () => {
    const account = await host.newAccount()
    host.vendor.answer(async ({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(SOUND.subarray(0, 5000))
      await sleep(60)
      response.destroy()
    })
    const answer = await host.openai({ apiKey: account.key }).audio.speech.create({ model: speaks, ...ask })
    await expect(answer.arrayBuffer()).rejects.toThrow()
    expect(await account.waitForRecords(1)).toMatchObject([{ outcome: 'cut', charged_nano: SPEECH_COST_NANO, estimated: false }])
  })

  test('a voice that the model lacks is a BadRequestError', async () => {
    const error = await expectRejection(
      BadRequestError,
      host.openai().audio.speech.create({ model: speaks, ...ask, voice: 'ash' }),
    )
    expect(error).toMatchObject({ status: 400, param: 'voice', message: expect.stringContaining('alloy, nova') })
  })
}

function transcriptionCases(host: Host): void {
  const { hears, streams } = host.audioModels

  test('a sound is written down, for its begun seconds', async () => {
    const account = await host.newAccount()
    host.vendor.answer((call) => sendJson(call, { text: TEXT }))
    const client = host.openai({ apiKey: account.key })
    const answer = await client.audio.transcriptions.create({ model: hears, file: await wav(), language: 'en', temperature: 0.2 })
    expect(answer).toMatchObject({ text: TEXT, usage: { type: 'duration', seconds: 3 } })
    expect(costOf(answer.usage)).toBe(TRANSCRIPTION_COST_NANO)
    expect(await account.spent()).toBe(TRANSCRIPTION_COST_NANO)
    expectValidRequest(lastCall(host))
  })

  test('with segments and words', async () => {
    host.vendor.answer((call) => sendJson(call, { ...VERBOSE, words: [{ word: 'Hello', start: 0, end: 1 }] }))
    const answer = await host.openai().audio.transcriptions.create({
      model: hears,
      file: await wav(),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    })
    expect(answer.segments).toEqual(SEGMENTS)
    expect(answer.words).toEqual([{ word: 'Hello', start: 0, end: 1 }])
    expect(costOf(answer.usage)).toBe(TRANSCRIPTION_COST_NANO)
    expectValidRequest(lastCall(host))
  })

  test.each([
    ['text', 'Hello there.\n'],
    ['srt', '1\n00:00:00,000 --> 00:00:01,100\nHello\n\n2\n00:00:01,100 --> 00:00:02,400\nthere.\n\n'],
    ['vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:01.100\nHello\n\n00:00:01.100 --> 00:00:02.400\nthere.\n\n'],
  ] as const)('as %s', async (response_format, written) => {
    host.vendor.answer((call) => sendJson(call, VERBOSE))
    const client = host.openai()
    const { data, response } = await client.audio.transcriptions
      .create({ model: hears, file: await wav(), response_format })
      .withResponse()
    expect(data).toBe(written)
    expect(response.headers.get('x-tollgate-cost')).toBe('0.0003')
  })

  test('as a stream of deltas, the last event with the tokens and what they cost', async () => {
    const account = await host.newAccount()
    host.vendor.answer((call) => {
      startStream(call)
      for (const delta of ['Hello', ' there.']) sendEvent(call, { type: 'transcript.text.delta', delta })
      sendEvent(call, { type: 'transcript.text.done', text: TEXT, usage: AIMOCK_TRANSCRIPT_USAGE })
      call.response.end()
    })
    const client = host.openai({ apiKey: account.key })
    const events = await readAll(
      await client.audio.transcriptions.create({ model: streams, file: await wav(), stream: true, include: ['logprobs'] }),
    )
    expect(events.map((event) => ('delta' in event ? event.delta : '')).join('')).toBe(TEXT)
    const last = events.at(-1)
    expect(last).toMatchObject({ type: 'transcript.text.done', text: TEXT, usage: AIMOCK_TRANSCRIPT_USAGE })
    expect(costOf(last && 'usage' in last ? last.usage : null)).toBe(199_000n)
    expect(await account.spent()).toBe(199_000n)
    expectValidRequest(lastCall(host))
  })

  test('what is no sound is a BadRequestError that names the file', async () => {
    const file = await toFile(Buffer.from('This is a text. '.repeat(30)), 'hello.wav')
    const error = await expectRejection(BadRequestError, host.openai().audio.transcriptions.create({ model: hears, file }))
    expect(error).toMatchObject({ status: 400, param: 'file', code: 'invalid_request_error' })
  })
}

function translationCases(host: Host): void {
  const { hears } = host.audioModels

  test('a sound is translated, for its begun seconds', async () => {
    const account = await host.newAccount()
    host.vendor.answer((call) => sendJson(call, { text: TEXT }))
    const client = host.openai({ apiKey: account.key })
    const answer = await client.audio.translations.create({ model: hears, file: await wav(), prompt: 'Hi', temperature: 0.2 })
    expect(answer).toMatchObject({ text: TEXT, usage: { type: 'duration', seconds: 3 } })
    expect(await account.spent()).toBe(TRANSCRIPTION_COST_NANO)
    expect(lastCall(host).path).toBe('/v1/audio/translations')
    expectValidRequest(lastCall(host))
  })

  test('with its segments, and as subtitles', async () => {
    host.vendor.answer((call) => sendJson(call, { ...VERBOSE, task: 'translate' }))
    const { translations } = host.openai().audio
    const nonStreaming = await translations.create({ model: hears, file: await wav(), response_format: 'verbose_json' })
    expect(nonStreaming).toMatchObject({ language: 'english', duration: 2.4, segments: SEGMENTS })
    expectValidRequest(lastCall(host))
    const subtitles = await translations.create({ model: hears, file: await wav(), response_format: 'srt' })
    expect(subtitles).toMatch(/^1\n00:00:00,000 --> 00:00:01,100\nHello\n/)
  })

  test('a model that only transcribes is a BadRequestError that names the model', async () => {
    host.vendor.answer((call) => sendJson(call, { error: { message: 'Not this one.', param: 'model' } }, 400))
    const ask = { model: hears, file: await wav() }
    const error = await expectRejection(BadRequestError, host.openai().audio.translations.create(ask))
    expect(error).toMatchObject({ status: 400, code: 'invalid_request_error' })
  })

  test('the sandbox says that its translation is made up', async () => {
    const ask = { model: 'sandbox/transcribe', file: await wav(), response_format: 'verbose_json' } as const
    const answer = await host.openai().audio.translations.create(ask)
    expect(answer).toMatchObject({ task: 'translate', language: 'english', text: expect.stringContaining('Sandbox translation') })
    const { text } = await host.openai().audio.translations.create({ model: 'sandbox/transcribe', file: await wav() })
    expect(text).toBe(answer.text)
  })
}

function aimockCases(host: Host): void {
  const { aimockSpeaks, aimockHears } = host.audioModels

  test('aimock speaks', async () => {
    const account = await host.newAccount()
    const input = 'Please say the sentence'
    const answer = await host.openai({ apiKey: account.key }).audio.speech.create({ model: aimockSpeaks, input, voice: 'nova' })
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(AIMOCK_SOUND)
    expect(await account.spent()).toBe(BigInt(input.length) * 15_000n)
  })

  test('aimock hears', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key })
    const nonStreaming = await client.audio.transcriptions.create({ model: aimockHears, file: await wav() })
    expect(nonStreaming).toMatchObject({ text: AIMOCK_TRANSCRIPT, usage: AIMOCK_TRANSCRIPT_USAGE })
    const events = await readAll(
      await client.audio.transcriptions.create({ model: aimockHears, file: await wav(), stream: true }),
    )
    expect(events.map((event) => ('delta' in event ? event.delta : '')).join('')).toBe(AIMOCK_TRANSCRIPT)
    expect(events.at(-1)).toMatchObject({ usage: AIMOCK_TRANSCRIPT_USAGE })
    expect(await account.spent()).toBe(398_000n)
  })
}

function sandboxCases(host: Host): void {
  test.each(['mp3', 'wav'] as const)('the sandbox hears what it has spoken as %s', async (response_format) => {
    const client = host.openai()
    const speech = await client.audio.speech.create({ model: 'sandbox/speech', voice: 'nova', input: TEXT, response_format })
    const file = await toFile(Buffer.from(await speech.arrayBuffer()), `said.${response_format}`)
    const transcript = await client.audio.transcriptions.create({
      model: 'sandbox/transcribe',
      file,
      response_format: 'verbose_json',
    })
    const { duration, segments = [] } = transcript
    expect(Number(duration)).toBeGreaterThan(0.5)
    expect(segments.at(-1)?.end).toBeCloseTo(Number(duration), 2)
    expect(transcript.usage?.seconds).toBe(Math.ceil(Number(duration)))
  })

  test('the sandbox streams what it hears', async () => {
    const ask = { model: 'sandbox/transcribe', file: await wav(), stream: true } as const
    const events = await readAll(await host.openai().audio.transcriptions.create(ask))
    expect(events.length).toBeGreaterThan(3)
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: expect.stringContaining('Sandbox transcript') })
  })
}

/** Speech and transcriptions through the official SDK. */
export function openAiAudio(host: Host): void {
  describe('speech', () => speechCases(host))
  describe('transcriptions', () => transcriptionCases(host))
  describe('translations', () => translationCases(host))
  describe('aimock', () => aimockCases(host))
  describe('sandbox', () => sandboxCases(host))
}
