import { OpenAIEmbeddings } from '@langchain/openai'
import { BadRequestError } from 'openai'
import { describe, expect, test } from 'vitest'
import { embeddingsAnswer } from '../fakes/legacy-vendor.ts'
import { sendJson } from '../fakes/vendor.ts'
import { costOf, expectRejection, expectValid } from './expectations.ts'
import type { Host } from './world.ts'

const MODEL = 'sandbox/embed'
const vectorLength = (vector: number[]): number => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
const cosine = (a: number[], b: number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) / (vectorLength(a) * vectorLength(b))

function sandboxCases(host: Host): void {
  test('a text has a vector, its usage, and what it cost', async () => {
    const account = await host.newAccount()
    const answer = await host.openai({ apiKey: account.key }).embeddings.create({ model: MODEL, input: 'Hello there' })
    expect(answer).toMatchObject({ object: 'list', model: MODEL, data: [{ object: 'embedding', index: 0 }] })
    expect(answer.data[0]?.embedding).toHaveLength(1536)
    expect(answer.usage.total_tokens).toBe(answer.usage.prompt_tokens)
    expect(await account.spent()).toBe(costOf(answer.usage))
    expect(costOf(answer.usage)).toBeGreaterThan(0n)
  })

  test('what is alike is near', async () => {
    const input = ['The cat sat on the mat', 'Cats are sitting on mats', 'Stock prices fell on Monday']
    const { data } = await host.openai().embeddings.create({ model: MODEL, input })
    const [cat, cats, stock] = data.map(({ embedding }) => embedding)
    expect(cosine(cat ?? [], cats ?? [])).toBeGreaterThan(cosine(cat ?? [], stock ?? []) + 0.1)
  })

  test('base64, which SDKs ask for by themselves, and floats say the same', async () => {
    const client = host.openai()
    const ask = { model: MODEL, input: ['one', 'two'], dimensions: 64 }
    const plain = await client.embeddings.create(ask)
    expect(host.recorder.last.body.encoding_format).toBe('base64')
    const floats = await client.embeddings.create({ ...ask, encoding_format: 'float' })
    for (const [at, { embedding }] of floats.data.entries()) {
      expect(embedding).toHaveLength(64)
      expect(embedding.map(Math.fround)).toEqual([...(plain.data[at]?.embedding ?? [])])
    }
    const raw = await client.embeddings.create({ ...ask, encoding_format: 'base64' })
    expect(typeof raw.data[0]?.embedding).toBe('string')
  })

  test('tokens have vectors too', async () => {
    const client = host.openai()
    const one = await client.embeddings.create({ model: MODEL, input: [9906, 1070] })
    expect(one.data).toHaveLength(1)
    expect(one.usage.prompt_tokens).toBe(2)
    expect((await client.embeddings.create({ model: MODEL, input: [[9906], [1070, 1]] })).data).toHaveLength(2)
  })

  test('an empty text is a BadRequestError that names its place', async () => {
    const error = await expectRejection(BadRequestError, host.openai().embeddings.create({ model: MODEL, input: ['a', ''] }))
    expect(error).toMatchObject({ param: 'input[1]', code: 'invalid_request_error' })
    const long = await expectRejection(
      BadRequestError,
      host.openai().embeddings.create({ model: MODEL, input: 'a', dimensions: 3073 }),
    )
    expect(long.param).toBe('dimensions')
  })

  test('LangChain gets the same vectors', async () => {
    const { baseURL, key: apiKey } = host
    const embeddings = new OpenAIEmbeddings({ model: MODEL, apiKey, configuration: { baseURL, fetch: host.recorder.fetch } })
    const [first] = await embeddings.embedDocuments(['Hello there', 'Bye'])
    const query = await embeddings.embedQuery('Hello there')
    expect(cosine(first ?? [], query)).toBeCloseTo(1, 5)
  })
}

function vendorCases(host: Host): void {
  test('a vendor gets a valid request, and its answer passes whichever form it has', async () => {
    host.vendor.answer((call) =>
      sendJson(
        call,
        embeddingsAnswer({}, [
          [0.5, -1],
          [1, 0],
        ]),
      ),
    )
    const answer = await host
      .openai()
      .embeddings.create({ model: host.otherModels.embed, input: ['a', 'b'], dimensions: 2, user: 'u' })
    expect(answer.data.map(({ embedding }) => [...embedding])).toEqual([
      [0.5, -1],
      [1, 0],
    ])
    expect(answer.model).toBe(host.otherModels.embed)
    expectValid('CreateEmbeddingRequest', host.vendor.calls.at(-1))
  })
}

/** Embeddings through the official SDK. */
export function openAiEmbeddings(host: Host): void {
  describe('embeddings', () => sandboxCases(host))
  describe('embeddings of vendors', () => vendorCases(host))
}
