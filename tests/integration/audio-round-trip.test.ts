import { afterAll, beforeAll, expect, test } from 'vitest'
import { audioSeconds } from '#lib/host/audio-length'
import { type ApiWorld, headersOf, newClientIp, openApiWorld } from '../fakes/api-world.ts'
import { formBody } from '../fakes/form-body.ts'
import { eventsOf } from '../support/raw-client.ts'

const TEXT = 'What is spoken here is heard again, and takes as long. Does it not?'
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function synthesize(secret: string, more: object = {}): Promise<Buffer> {
  const body = JSON.stringify({ model: 'sandbox/speech', input: TEXT, voice: 'nova', ...more })
  const answer = await world.send({ path: '/v1/audio/speech', headers: headersOf(secret), body })
  expect(answer.status, answer.text.slice(0, 500)).toBe(200)
  return answer.body
}

async function transcribe(secret: string, content: Buffer, filename: string, extraFields: [string, string][] = []) {
  const { type, body } = formBody([['model', 'sandbox/transcribe'], ...extraFields, ['file', { filename, content }]])
  const headers: [string, string][] = [
    ['authorization', `Bearer ${secret}`],
    ['content-type', type],
    ['x-forwarded-for', newClientIp()],
  ]
  const answer = await world.send({ path: '/v1/audio/transcriptions', headers, body })
  expect(answer.status, answer.text.slice(0, 500)).toBe(200)
  return answer
}

test.each([undefined, 'mp3', 'wav'])('what the sandbox speaks as %s is heard at its length, and billed so', async (format) => {
  const holder = await world.holder()
  const sound = await synthesize(holder.secret, format === undefined ? {} : { response_format: format })
  const seconds = (await audioSeconds(sound)) ?? 0
  expect(seconds).toBeGreaterThan(3)
  const verboseFields: [string, string][] = [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ]
  const transcript = (await transcribe(holder.secret, sound, `said.${format ?? 'mp3'}`, verboseFields)).json() as {
    duration: number
    usage: { seconds: number }
    words: { end: number }[]
    segments: { end: number }[]
  }
  expect(transcript.duration).toBeCloseTo(seconds, 5)
  expect(transcript.words.at(-1)?.end).toBeCloseTo(seconds, 2)
  expect(transcript.segments.at(-1)?.end).toBeCloseTo(seconds, 2)
  expect(transcript.usage.seconds).toBe(Math.ceil(seconds))
  const [speechRecord, transcriptionRecord] = await world.records(holder.accountId, 2)
  // $10 per million characters, $50 per million seconds.
  expect(speechRecord).toMatchObject({ charged: BigInt(TEXT.length) * 10_000n, estimated: false })
  expect(transcriptionRecord).toMatchObject({ charged: BigInt(Math.ceil(seconds)) * 50_000n, estimated: false })
  await world.expectSettledBooks(holder, 2)
})

test('all formats of a transcript say the same', async () => {
  const holder = await world.holder()
  const sound = await synthesize(holder.secret, { response_format: 'wav' })
  const transcribeAs = async (format: string) =>
    (await transcribe(holder.secret, sound, 'said.wav', [['response_format', format]])).body.toString()
  const { text } = JSON.parse(await transcribeAs('json')) as { text: string }
  const stripCues = (lines: string) =>
    lines
      .split('\n')
      .filter((line) => line !== '' && !/^(WEBVTT|\d+)$|-->/.test(line))
      .join(' ')
  expect(await transcribeAs('text')).toBe(`${text}\n`)
  expect(stripCues(await transcribeAs('srt'))).toBe(text)
  expect(stripCues(await transcribeAs('vtt'))).toBe(text)
  const events = eventsOf((await transcribe(holder.secret, sound, 'said.wav', [['stream', 'true']])).body).map((data) =>
    JSON.parse(data),
  )
  expect(events.map(({ delta = '' }) => delta).join('')).toBe(text)
  const billedSeconds = Math.ceil((await audioSeconds(sound)) ?? 0)
  expect(events.at(-1)).toMatchObject({
    type: 'transcript.text.done',
    text,
    usage: { type: 'tokens', total_tokens: 0, seconds: billedSeconds },
  })
  await world.expectSettledBooks(holder, 6)
})

test('a format that the sandbox does not speak is refused before anything is held', async () => {
  const body = JSON.stringify({ model: 'sandbox/speech', input: TEXT, voice: 'nova', response_format: 'opus' })
  const request = (secret: string) => ({ path: '/v1/audio/speech', headers: headersOf(secret), body })
  await world.expectRefused(request, { condition: 'invalid_request', param: 'response_format', message: /mp3, wav, pcm/ })
})
