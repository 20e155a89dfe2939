import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, headersOf, newClientIp, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { RECORDED_DIR, recordedExists, respondRecorded, sendEvents } from '../fakes/bridged-vendors.ts'
import { type FormFields, formBody } from '../fakes/form-body.ts'
import { pngOf } from '../fakes/image-vendor.ts'
import { recordedLines } from '../fakes/kinds/send.ts'
import { type Call, sendJson } from '../fakes/vendor.ts'
import { wavOf } from '../fakes/wav.ts'
import { addModel } from '../support/fixtures.ts'
import { eventsOf } from '../support/raw-client.ts'

const TOKENS = { input: '1000000000', output: '5000000000' }
const IMAGES = { image: '10000000000000' }
const SECONDS = { audio_second: '100000000000' }

const MODELS: [id: string, kind: string, modality: string, units: Record<string, string>, more?: object][] = [
  ['openai/instruct', 'openai', 'completion', TOKENS, { contextWindow: 4096, maxOutput: 4096 }],
  ['openai/embed', 'openai', 'embedding', TOKENS],
  ['openai/image', 'openai', 'image', IMAGES, { capabilities: ['edits'] }],
  ['openai/hears', 'openai', 'transcription', SECONDS],
  ['groq/hears', 'groq', 'transcription', SECONDS],
  ['any/chat', 'openai-compatible', 'chat', TOKENS],
]

// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
type Json = any

const read = (file: string): string => readFileSync(resolve(RECORDED_DIR, file), 'utf8')

// native-recorded.test.ts fails if the folder has to be there and is not.
describe.skipIf(!recordedExists)('what was recorded of wires beside chats', () => {
  let world: ApiWorld

  beforeAll(async () => {
    world = await openApiWorld()
    for (const [id, kind, modality, units, more] of MODELS)
      await addModel(world.pool, { id, kind, modality, units, baseUrl: world.vendor.url, ...more })
    await untilModelKnown(world, 'any/chat')
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  async function post(path: string, body: object) {
    const holder = await world.holder()
    const answer = await world.send({ path, headers: headersOf(holder.secret), body: JSON.stringify(body) })
    return { holder, answer }
  }

  async function postForm(path: string, fields: FormFields) {
    const holder = await world.holder()
    const { type, body } = formBody(fields)
    const headers: [string, string][] = [
      ['authorization', `Bearer ${holder.secret}`],
      ['content-type', type],
      ['x-forwarded-for', newClientIp()],
    ]
    return { holder, answer: await world.send({ path, headers, body }) }
  }

  async function expectCharged({ holder }: Awaited<ReturnType<typeof post>>, charged: bigint) {
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', estimated: false, charged })
    await world.expectSettledBooks(holder, 1)
  }

  // 14 input tokens, 16 output tokens.
  const COMPLETION = 14n * 1000n + 16n * 5000n

  test('openai/completion/openai-completion-text.json', async () => {
    world.vendor.answer(respondRecorded('openai/completion/openai-completion-text.json'))
    const result = await post('/v1/completions', { model: 'openai/instruct', prompt: 'Invent', max_tokens: 16 })
    const { model, choices, usage } = result.answer.json() as Json
    expect({ model, choices }).toMatchObject({ model: 'openai/instruct', choices: [{ finish_reason: 'length' }] })
    expect(choices[0].text).toMatch(/^The new holiday is called "Gratitude Day"/)
    expect(usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 16, cost: Number(COMPLETION) / 1e9 })
    await expectCharged(result, COMPLETION)
  })

  test('openai/completion/openai-completion-text.chunks.txt', async () => {
    const lines = recordedLines('openai/completion/openai-completion-text.chunks.txt')
    world.vendor.answer((call) => sendEvents(call, [...lines, '[DONE]']))
    const body = { model: 'openai/instruct', prompt: 'Invent', stream: true, stream_options: { include_usage: true } }
    const result = await post('/v1/completions', body)
    const events = eventsOf(result.answer.body)
    expect(events.at(-1)).toBe('[DONE]')
    const chunks: Json[] = events.slice(0, -1).map((data) => JSON.parse(data))
    const texts = lines.flatMap((line) => (JSON.parse(line) as Json).choices.map((choice: Json) => choice.text))
    expect(chunks.flatMap(({ choices }) => choices).map(({ text }) => text)).toEqual(texts)
    expect(chunks.at(-1).usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 16, cost: Number(COMPLETION) / 1e9 })
    await expectCharged(result, COMPLETION)
  })

  test('openai/embedding/openai-embedding.json', async () => {
    world.vendor.answer(respondRecorded('openai/embedding/openai-embedding.json'))
    const result = await post('/v1/embeddings', { model: 'openai/embed', input: ['a', 'b'], encoding_format: 'float' })
    expect(result.answer.status, result.answer.text).toBe(200)
    const { data, model, usage } = result.answer.json() as Json
    const { data: sent } = JSON.parse(read('openai/embedding/openai-embedding.json')) as Json
    expect({ data, model }).toEqual({ data: sent, model: 'openai/embed' })
    expect(usage).toMatchObject({ prompt_tokens: 12, cost: 0.000012 })
    await expectCharged(result, 12_000n)
  })

  test('openai/image/openai-image.json', async () => {
    world.vendor.answer(respondRecorded('openai/image/openai-image.json'))
    const body = { model: 'openai/image', prompt: 'An otter', n: 2, response_format: 'b64_json' }
    const result = await post('/v1/images/generations', body)
    expect(result.answer.status, result.answer.text).toBe(200)
    const { data } = result.answer.json() as Json
    expect(data).toEqual((JSON.parse(read('openai/image/openai-image.json')) as Json).data)
    await expectCharged(result, 20_000_000n)
  })

  test('openai/image/openai-image-edit.json', async () => {
    world.vendor.answer(respondRecorded('openai/image/openai-image-edit.json'))
    const result = await postForm('/v1/images/edits', [
      ['model', 'openai/image'],
      ['prompt', 'A hat'],
      ['response_format', 'b64_json'],
      ['image', { filename: 'a.png', content: pngOf() }],
    ])
    expect(result.answer.status, result.answer.text).toBe(200)
    expect((result.answer.json() as Json).data).toEqual((JSON.parse(read('openai/image/openai-image-edit.json')) as Json).data)
    await expectCharged(result, 10_000_000n)
  })

  test('openai/image/gpt-image-response-format-error.json', async () => {
    world.vendor.answer(respondRecorded('openai/image/gpt-image-response-format-error.json', 400))
    const { holder, answer } = await post('/v1/images/generations', { model: 'openai/image', prompt: 'An otter' })
    expectError(answer, { condition: 'invalid_request', param: 'response_format', message: /says: Unknown parameter/ })
    expect((await world.record(holder.accountId)).charged).toBe(0n)
    await world.expectSettledBooks(holder, 1)
  })

  // 36.7 seconds are billed as 37: those of the file that was sent, whatever the vendor heard.
  const FILE: FormFields = [['file', { filename: 'a.wav', content: wavOf(36.7) }]]

  test('openai/transcription/openai-transcription.json', async () => {
    world.vendor.answer(respondRecorded('openai/transcription/openai-transcription.json'))
    const result = await postForm('/v1/audio/transcriptions', [
      ['model', 'openai/hears'],
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'word'],
      ...FILE,
    ])
    expect(result.answer.status, result.answer.text).toBe(200)
    const { text, words, language } = result.answer.json() as Json
    expect(text).toMatch(/^Galileo was an American robotic space program/)
    expect({ words: words.length, language }).toEqual({ words: 5, language: 'english' })
    await expectCharged(result, 3_700_000n)
  })

  // The recording is plain text, which is never requested. The same words in its JSON (console.groq.com/docs/speech-to-text).
  test('groq/groq-transcription-text.json', async () => {
    const { body: text } = JSON.parse(read('groq/groq-transcription-text.json')) as { body: string }
    world.vendor.answer((call) => sendJson(call, { text, x_groq: { id: 'req_01kh' } }))
    const form: FormFields = [['model', 'groq/hears'], ['response_format', 'text'], ...FILE]
    const result = await postForm('/v1/audio/transcriptions', form)
    expect(result.answer.status, result.answer.text).toBe(200)
    expect(world.vendor.calls.at(-1)?.form?.get('response_format')).toBe('json')
    expect(result.answer.body.toString().trim()).toBe('Hello from the Versal AISDK.')
    await expectCharged(result, 3_700_000n)
  })

  test('openai-compatible/chat/anthropic-fallback-tool-call.sse: the only call, which its vendor puts in the second place, is the first, and no usage is told', async () => {
    const bytes = read('openai-compatible/chat/anthropic-fallback-tool-call.sse')
    world.vendor.answer(({ response }: Call) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytes))
    const holder = await world.holder()
    const answer = await world.chat(holder.secret, { model: 'any/chat', stream: true })
    expect(answer.status, answer.text).toBe(200)
    const events = eventsOf(answer.body)
    expect(events.at(-1)).toBe('[DONE]')
    const choices = events.slice(0, -1).flatMap((data) => (JSON.parse(data) as Json).choices)
    const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? [])
    expect(calls.map((call) => call.function.arguments).join('')).toBe('{"path": "a.txt"}')
    expect(new Set(calls.map(({ index }) => index))).toEqual(new Set([0]))
    expect(await world.record(holder.accountId)).toMatchObject({
      outcome: 'finished',
      estimated: true,
      finishReason: 'tool_calls',
    })
    await world.expectSettledBooks(holder, 1)
  })
})
