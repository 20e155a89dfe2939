import { expect, test } from 'vitest'
import type { FinishPorts } from './answer.ts'
import { embeddings } from './embeddings.ts'
import type { PreparePorts } from './endpoint.ts'
import type { JsonObject } from './json.ts'

const ports = (facts: object, contextWindow = 8192) =>
  ({
    model: { contextWindow, facts },
    supportsWire: () => false,
    countTokens: async (text: string) => Math.ceil(text.length / 4),
  }) as unknown as PreparePorts
const FACTS = { dimensions: 4, shortens: true, inputs: 3 }

const prepared = async (body: object, facts: object = FACTS, contextWindow?: number) =>
  await embeddings.prepare(embeddings.parse({ model: 'm', input: 'text', ...body }), ports(facts, contextWindow))

const boundOf = async (body: object, contextWindow?: number) => {
  const work = await prepared(body, {}, contextWindow)
  return embeddings.bound(work, null as never, null as never, 1n, 1n, 100)
}

test.each([
  [{ dimensions: 5 }, FACTS, 'dimensions', /at most 4 dimensions; you asked for 5/],
  [{ dimensions: 4 }, { ...FACTS, shortens: false }, 'dimensions', /always answers with 4/],
  [{ input: ['a', 'b', 'c', 'd'] }, FACTS, 'input', /at most 3 texts per request; you sent 4/],
])('%j is refused', async (body, facts, param, message) => {
  await expect(prepared(body, facts)).rejects.toMatchObject({
    condition: 'invalid_request',
    param,
    message: expect.stringMatching(message),
  })
})

test.each([
  [{ dimensions: 4 }, FACTS],
  [{ dimensions: 9999 }, {}],
  [{ input: [1, 2, 3, 4] }, FACTS],
])('%j of a model with %j is accepted', async (body, facts) => {
  await expect(prepared(body, facts)).resolves.toBeDefined()
})

test.each([
  [{ input: 'wörld' }, 6 + 4 + 100],
  [{ input: ['a', 'bc'] }, 3 + 8 + 100],
  [{ input: [7, 8, 9] }, 3 + 4 + 100],
  [{ input: [[7], [8, 9]] }, 3 + 8 + 100],
])('%j is held for %d tokens', async (body, tokens) => {
  expect(await boundOf(body)).toEqual({
    cap: 0,
    choices: 1,
    usage: expect.objectContaining({ input: BigInt(tokens), output: 0n }),
  })
})

test('tokens that have to become a text are held for as that text', async () => {
  const own = { ...ports({}), supportsWire: () => true, decodeTokens: async () => 'in other tokens' } as PreparePorts
  const work = await embeddings.prepare(embeddings.parse({ model: 'm', input: [[7, 8], [9]] }), own)
  const { usage } = embeddings.bound(work, null as never, null as never, 1n, 1n, 0)
  expect(usage.input).toBe(BigInt(2 * ('in other tokens'.length + 4)))
  expect(embeddings.forms[0]?.ask(work)).toMatchObject({ json: { input: [[7, 8], [9]] } })
  expect(embeddings.forms[1]?.ask(work)).toMatchObject({ json: { input: ['in other tokens', 'in other tokens'] } })
})

test('tokens whose texts are larger than a request may be are refused before all of them are texts', async () => {
  let decoded = 0
  const decodeTokens = async () => {
    decoded++
    return 'x'.repeat(1024 * 1024)
  }
  const own = { ...ports({}), supportsWire: () => true, decodeTokens } as PreparePorts
  const asked = async (texts: number) =>
    await embeddings.prepare(embeddings.parse({ model: 'm', input: Array.from({ length: texts }, () => [7]) }), own)
  await expect(asked(16)).resolves.toBeDefined()
  decoded = 0
  await expect(asked(100)).rejects.toMatchObject({ condition: 'too_large', param: 'input[16]' })
  expect(decoded).toBe(17)
})

test('no text is held for more than the context', async () => {
  expect((await boundOf({ input: 'x'.repeat(300) }, 100)).usage.input).toBe(200n)
})

const [form] = embeddings.forms
if (!form) throw new Error('there is no form')
const asked = async (body: object, facts: object = FACTS) => (form.ask(await prepared(body, facts)) as { json: JsonObject }).json

test('the vendor is asked as the client asked, and for base64 where floats would be very long', async () => {
  expect(await asked({})).toEqual({ model: 'm', input: 'text' })
  expect(await asked({ encoding_format: 'float', more: 1 })).toMatchObject({ encoding_format: 'float', more: 1 })
  const input = Array.from({ length: 1000 }, () => 'x')
  expect(await asked({ input, encoding_format: 'float' }, { dimensions: 1536 })).toMatchObject({ encoding_format: 'base64' })
})

const answer = (embedding: unknown, usage: object | null = { prompt_tokens: 3, total_tokens: 3 }) =>
  Buffer.from(
    JSON.stringify({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding }],
      model: 'up',
      ...(usage ? { usage } : {}),
    }),
  )

async function read(bytes: Buffer, body: object = {}) {
  const whole = form?.readNonStreaming(bytes, await prepared(body), { modelId: 'ours' } as never)
  if (!whole) throw new Error('there is no answer')
  await whole.finish?.(null as unknown as FinishPorts)
  return whole
}
const sent = (whole: Awaited<ReturnType<typeof read>>) =>
  JSON.parse(whole.encode(whole.usage ?? ({ input: 9n, cachedInput: 0n, cacheWrite: 0n } as never), 60n).toString())

test.each([
  ['float', [0.5, 1]],
  ['float', 'AAAAPwAAgD8='],
  ['base64', [0.5, 1]],
  ['base64', 'AAAAPwAAgD8='],
])('%s is what comes, whatever the vendor sent: %j', async (encoding_format, embedding) => {
  expect(sent(await read(answer(embedding), { encoding_format }))).toEqual({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: encoding_format === 'float' ? [0.5, 1] : 'AAAAPwAAgD8=' }],
    model: 'ours',
    usage: { prompt_tokens: 3, total_tokens: 3, cost: 0.00000006 },
  })
})

test('usage is the total where that is all there is, and null where there is none', async () => {
  expect((await read(answer([1], { total_tokens: 7 }))).usage).toMatchObject({ input: 7n, output: 0n })
  expect((await read(answer([1], { prompt_tokens: -1 }))).usage).toBeNull()
  const none = await read(answer([1], null))
  expect(none.usage).toBeNull()
  expect(sent(none).usage).toEqual({ prompt_tokens: 9, total_tokens: 9, cost: 0.00000006 })
})

test('what a vendor calls its model stays here, in entries too', async () => {
  const named = Buffer.from('{"data":[{"model":"up","index":0,"embedding":[1]}],"model":"up"}')
  expect(sent(await read(named))).toMatchObject({ model: 'ours', data: [{ object: 'embedding', index: 0, embedding: [1] }] })
  expect(JSON.stringify(sent(await read(named)))).not.toContain('"up"')
})

test.each([
  ['in the order of their texts, whatever the order of the entries', [2, 0, 1], [2, 3, 1]],
  ['in the order of their numbers, where these begin with one', [3, 1, 2], [2, 3, 1]],
  ['in order where only the first has no number', [undefined, 1, 2], [1, 2, 3]],
  ['in the order of their numbers, where these are texts', ['2', '0', '1'], [2, 3, 1]],
  ['in order where all have the same number', [0, 0, 0], [1, 2, 3]],
  ['in order where they have no numbers', [null, undefined, 'x'], [1, 2, 3]],
])('vectors are %s', async (_, indexes, order) => {
  const data = indexes.map((index, place) => ({ object: 'embedding', index, embedding: [place + 1] }))
  const read3 = await read(Buffer.from(JSON.stringify({ data })), { input: ['a', 'b', 'c'] })
  const expected = order.map((number, index) => ({ object: 'embedding', index, embedding: [number] }))
  expect(sent(read3).data).toEqual(expected)
})

test('history keeps what kind of vectors came, not the vectors', async () => {
  expect((await read(answer([0.5, 1]))).toAnswerJson()).toMatchObject({ data: [{ index: 0, embedding: '[2 numbers]' }] })
})

test.each([
  ['{', 'no JSON'],
  ['{"data":5}', 'no list'],
  ['{"data":[]}', 'fewer vectors than texts'],
  ['{"data":[null]}', 'no entry'],
  ['{"data":[{"embedding":0}]}', 'a number for a vector'],
  ['{"data":[{"embedding":[1,2', 'a vector that does not end'],
  ['{"data":[{"embedding":"AAAAPw', 'a text that does not end'],
  ['{"data":[{"embedding":[1]},{"embedding":[1]}]}', 'more vectors than texts'],
])('%s is %s, and breaks the answer', async (text) => {
  await expect(read(Buffer.from(text))).rejects.toMatchObject({ mark: 'stream_broken' })
})

test.each([[[0, 0, 1]], [[2, 1, 1]], [[1, undefined, 3]]])(
  '%j are no numbers of three texts, and break the answer',
  async (indexes) => {
    const data = indexes.map((index) => ({ index, embedding: [1] }))
    const reading = read(Buffer.from(JSON.stringify({ data })), { input: ['a', 'b', 'c'] })
    await expect(reading).rejects.toMatchObject({ mark: 'stream_broken', detail: 'two entries have the same index' })
  },
)
