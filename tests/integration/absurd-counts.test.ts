import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, headersOf, newClientIp, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { formBody } from '../fakes/form-body.ts'
import { imagesOf, pngOf } from '../fakes/image-vendor.ts'
import { embeddingsAnswer } from '../fakes/legacy-vendor.ts'
import { sendJson } from '../fakes/vendor.ts'
import { wavOf } from '../fakes/wav.ts'
import { addModel } from '../support/fixtures.ts'

/** More than anybody was ever billed for one request, and little enough to be a count. */
const ABSURD = 999_999_999
const MOST_NANO = 100_000_000n
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const vendor = { baseUrl: world.vendor.url, upstreamModel: 'upstream', secret: 'vendor-credential' }
  await addModel(world.pool, {
    id: 'fake/embed',
    modality: 'embedding',
    contextWindow: 8192,
    ...vendor,
    units: { input: '20000000' },
  })
  const image = { input: '5000000000', image_input: '10000000000', image_output: '40000000000' }
  const facts = { sizes: ['1024x1024'], qualities: ['low'], outputTokens: { '1024x1024:low': 272 } }
  await addModel(world.pool, { id: 'fake/draw', modality: 'image', ...vendor, facts, units: image })
  const audio = { input: '2500000000', audio_input: '6000000000', output: '10000000000' }
  await addModel(world.pool, {
    id: 'fake/hear',
    modality: 'transcription',
    ...vendor,
    facts: { formats: ['json'] },
    units: audio,
  })
  await untilModelKnown(world, 'fake/hear')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const form = formBody([
  ['model', 'fake/hear'],
  ['file', { filename: 'a.wav', content: wavOf(2.4) }],
])
const TOKENS = { input_tokens: ABSURD, output_tokens: ABSURD, total_tokens: 2 * ABSURD }

test.each([
  {
    path: '/v1/embeddings',
    body: JSON.stringify({ model: 'fake/embed', input: 'Hello there.' }),
    answerOf: (body: Record<string, unknown>) => embeddingsAnswer(body, [[1]], { prompt_tokens: ABSURD, total_tokens: ABSURD }),
  },
  {
    path: '/v1/images/generations',
    body: JSON.stringify({ model: 'fake/draw', prompt: 'A heron' }),
    answerOf: () => ({ ...imagesOf([{ b64_json: pngOf(4, 4).toString('base64') }]), usage: TOKENS }),
  },
  {
    path: '/v1/audio/transcriptions',
    body: form.body,
    type: form.type,
    answerOf: () => ({ text: 'Hello there.', usage: { type: 'tokens', ...TOKENS } }),
  },
])('$path: an absurd count of a vendor is not charged', async ({ path, body, type, answerOf }) => {
  world.vendor.answer((call) => sendJson(call, answerOf(call.body)))
  const holder = await world.holder()
  const headers: [string, string][] = type
    ? [
        ['authorization', `Bearer ${holder.secret}`],
        ['content-type', type],
        ['x-forwarded-for', newClientIp()],
      ]
    : headersOf(holder.secret)
  const answer = await world.send({ path, headers, body })
  expect(answer.status, answer.text.slice(0, 500)).toBe(200)
  expect(answer.text).not.toContain(String(ABSURD))
  const record = await world.record(holder.accountId)
  expect(record).toMatchObject({ outcome: 'finished', estimated: true })
  expect(record.charged).toBeGreaterThan(0n)
  expect(record.charged).toBeLessThan(MOST_NANO)
  await world.expectSettledBooks(holder, 1)
})
