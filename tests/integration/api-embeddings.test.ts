import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unpack } from '#lib/store/compression'
import {
  type ApiWorld,
  expectError,
  type Holder,
  headersOf,
  openApiWorld,
  UPSTREAM_MODEL,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import { embeddingsAnswer } from '../fakes/legacy-vendor.ts'
import { type Call, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { addDeployment, addModel, inOneTransaction } from '../support/fixtures.ts'
import { type RawAnswer, RawConnection, requestBytes } from '../support/raw-client.ts'

const UNITS = { input: '20000000' }
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const upstream = { baseUrl: world.vendor.url, upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET, units: UNITS }
  const facts = { dimensions: 1536, shortens: true, inputs: 2048 }
  await addModel(world.pool, { id: 'fake/embed', modality: 'embedding', contextWindow: 8192, facts, ...upstream })
  await untilModelKnown(world, 'fake/embed')
})
afterAll(() => world?.[Symbol.asyncDispose]())

// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
type Json = any

function requestOf(secret: string, body: object, extraHeaders: [string, string][] = []) {
  return {
    path: '/v1/embeddings',
    headers: headersOf(secret, extraHeaders),
    body: JSON.stringify({ model: 'fake/embed', input: 'Hello there.', ...body }),
  }
}

async function ask(
  body: object,
  holder?: Holder,
  extraHeaders: [string, string][] = [],
): Promise<{ answer: RawAnswer; holder: Holder }> {
  const caller = holder ?? (await world.holder())
  return { answer: await world.send(requestOf(caller.secret, body, extraHeaders)), holder: caller }
}

/** Answers with this vector for each text. */
const respondVector = (vector: number[], usage?: object | null) => (call: Call) => {
  const count = [call.body.input].flat().length
  sendJson(
    call,
    embeddingsAnswer(
      call.body,
      Array.from({ length: count }, () => vector),
      usage,
    ),
  )
}

test('a request is forwarded as it came, and charged by its usage', async () => {
  world.vendor.answer(respondVector([0.5, -1], { prompt_tokens: 1000, total_tokens: 1000 }))
  const body = { input: ['a', 'b'], dimensions: 2, user: 'u', my_field: { kept: true } }
  // A null field means nothing, and is not sent.
  const { answer, holder } = await ask({ ...body, encoding_format: null })
  expect(answer.status, answer.text).toBe(200)
  expect(world.vendor.calls.at(-1)?.path).toBe('/v1/embeddings')
  expect(world.vendor.calls.at(-1)?.body).toEqual({ ...body, model: UPSTREAM_MODEL })
  expect(answer.json()).toEqual({
    object: 'list',
    data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: [0.5, -1] })),
    model: 'fake/embed',
    // 1000 tokens at $0.02 per million.
    usage: { prompt_tokens: 1000, total_tokens: 1000, cost: 0.00002 },
  })
  expect(answer.header('x-tollgate-cost')).toBe('0.00002')
  const record = await world.record(holder.accountId)
  expect(record).toMatchObject({ input: 1000n, output: 0n, charged: 20_000n, outcome: 'finished', estimated: false })
  // Two bytes, four tokens around each text, and 512 of overhead, at 20 nano each.
  expect(record.hold).toBe((2n + 8n + 512n) * 20n + 2n)
  world.expectNoLeaks(answer)
})

test.each([
  ['float', 'float'],
  ['float', 'base64'],
  ['base64', 'float'],
  ['base64', 'base64'],
])('asked for %s, a vendor that says %s is heard', async (encoding_format, reportedFormat) => {
  world.vendor.answer((call) => sendJson(call, embeddingsAnswer({ encoding_format: reportedFormat }, [[0.5, -1]])))
  const { answer } = await ask({ encoding_format })
  expect(world.vendor.calls.at(-1)?.body.encoding_format).toBe(encoding_format)
  const [{ embedding }] = (answer.json() as Json).data
  expect(embedding).toEqual(
    encoding_format === 'float' ? [0.5, -1] : Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64'),
  )
})

test.each([[[1, 2, 3]], [[[1, 2], [3]]], [['a', 'b']]])('%j goes as it is', async (input) => {
  world.vendor.answer((call) =>
    sendJson(
      call,
      embeddingsAnswer(
        {},
        Array.from({ length: Array.isArray(input[0]) || typeof input[0] === 'string' ? input.length : 1 }, () => [1]),
      ),
    ),
  )
  const { answer } = await ask({ input })
  expect(answer.status, answer.text).toBe(200)
  expect(world.vendor.calls.at(-1)?.body.input).toEqual(input)
})

test('without usage the texts are counted', async () => {
  world.vendor.answer(respondVector([1], null))
  const { answer, holder } = await ask({ input: 'one two three' })
  expect((answer.json() as Json).usage).toMatchObject({ prompt_tokens: 3, total_tokens: 3 })
  expect(await world.record(holder.accountId)).toMatchObject({ input: 3n, output: 0n, estimated: true })
})

test('2,048 long vectors pass quickly, and are asked for in base64', async () => {
  const vector = Array.from({ length: 1536 }, (_, at) => Math.fround(Math.sin(at)))
  world.vendor.answer(respondVector(vector))
  const input = Array.from({ length: 2048 }, (_, at) => `text ${at}`)
  const started = performance.now()
  const { answer } = await ask({ input, encoding_format: 'float' })
  const tookMs = performance.now() - started
  expect(answer.status, answer.text.slice(0, 1000)).toBe(200)
  expect(world.vendor.calls.at(-1)?.body.encoding_format).toBe('base64')
  const { data } = answer.json() as Json
  expect(data).toHaveLength(2048)
  expect(data[2047].embedding.map(Math.fround)).toEqual(vector)
  expect(tookMs).toBeLessThan(20_000)
})

describe('an answer that is none', () => {
  const cases: [string, (call: Call) => void, object?][] = [
    ['is no JSON', (call) => call.response.end('<html>')],
    ['has fewer vectors than there were texts', (call) => sendJson(call, embeddingsAnswer({}, []))],
    ['has more vectors than there were texts', (call) => sendJson(call, embeddingsAnswer({}, [[1], [2]]))],
    ['has numbers that are none', (call) => call.response.end('{"data":[{"embedding":[NaN]}],"usage":{"prompt_tokens":1}}')],
    [
      'has two vectors with one number',
      (call) => sendJson(call, { data: [0, 0, 1].map((index) => ({ index, embedding: [1] })), usage: usageOf(9, 0) }),
      { input: ['a', 'b', 'c'] },
    ],
    ['breaks off', (call) => void call.response.write('{"data":[{"embedding":[1,', () => call.response.destroy())],
  ]
  test.each(cases)('because it %s is a 500, and not charged', async (_, handler, body = {}) => {
    world.vendor.answer(handler)
    const { answer, holder } = await ask(body)
    expectError(answer, { condition: 'vendor_failed' })
    expect(await world.record(holder.accountId)).toMatchObject({ charged: 0n, outcome: 'vendor_failed' })
    await world.expectSettledBooks(holder, 1)
  })

  test('lets another deployment answer', async () => {
    await using spareVendor = await startFakeVendor()
    const model = { id: 'fake/two', modality: 'embedding', upstreamModel: UPSTREAM_MODEL, units: UNITS }
    await inOneTransaction(world.pool, async (pool) => {
      await addModel(pool, { ...model, baseUrl: world.vendor.url })
      await addDeployment(pool, 'fake/two', { baseUrl: spareVendor.url, priority: 1 })
    })
    await untilModelKnown(world, 'fake/two')
    world.vendor.answer((call) => sendJson(call, embeddingsAnswer({}, [])))
    spareVendor.answer(respondVector([1]))
    const { answer, holder } = await ask({ model: 'fake/two' })
    expect(answer.status, answer.text).toBe(200)
    const { trace } = await world.record(holder.accountId)
    expect(trace.map(({ result }) => result)).toEqual(['broken', 'answered'])
  })
})

test('a client that leaves pays for what was made: it runs on', async () => {
  const holder = await world.holder()
  const connection = await RawConnection.open(world.url)
  const firstCall = new Promise<Call>((resolve) => world.vendor.answer(resolve))
  connection.send(requestBytes(requestOf(holder.secret, {})))
  const call = await firstCall
  connection.destroy()
  setTimeout(() => respondVector([1], { prompt_tokens: 100, total_tokens: 100 })(call), 100)
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'client_gone', charged: 2_000n, estimated: false })
})

test('a repeat with the same Idempotency-Key is the first answer again, at no charge', async () => {
  world.vendor.answer(respondVector([0.25]))
  const key: [string, string][] = [['idempotency-key', 'again']]
  const { answer, holder } = await ask({}, undefined, key)
  const calls = world.vendor.calls.length
  const { answer: replay } = await ask({}, holder, key)
  expect(replay.body.equals(answer.body)).toBe(true)
  expect(world.vendor.calls.length).toBe(calls)
  await world.expectSettledBooks(holder, 1)
})

test('history keeps the texts and how many numbers came, not the numbers', async () => {
  world.vendor.answer(respondVector([0.123456789, 1]))
  const { holder } = await ask({ input: ['keep me', 'me too'] })
  const { id } = await world.record(holder.accountId)
  const readHistory = async (): Promise<Buffer[]> => {
    const { rows } = await world.pool.query<{ body: Buffer }>('SELECT body FROM history WHERE request_id = $1', [id])
    return rows.map(({ body }) => body)
  }
  await expect.poll(readHistory, { timeout: 5000 }).toHaveLength(1)
  const [body] = await readHistory()
  const storedBody = JSON.parse(await unpack(body ?? Buffer.alloc(0)))
  expect(storedBody).toMatchObject({
    request: { input: ['keep me', 'me too'] },
    answer: {
      data: [
        { index: 0, embedding: '[2 numbers]' },
        { index: 1, embedding: '[2 numbers]' },
      ],
    },
  })
  expect(JSON.stringify(storedBody)).not.toContain('0.1234')
})
