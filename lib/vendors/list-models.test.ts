import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, test } from 'vitest'
import { listModels } from './list-models.ts'

/** Runs `run` against a vendor that answers with `list`. Returns the result and the requests that the vendor got. */
async function queryFakeVendor<Result>(list: object, run: (url: string) => Promise<Result>) {
  const seen: { path: string; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    seen.push({ path: request.url ?? '', authorization: request.headers.authorization })
    response.end(JSON.stringify(list))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    return { result: await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`), seen }
  } finally {
    server.close()
  }
}

const unsized = (name: string) => ({ name, contextWindow: null, maxOutput: null })

it.each([
  ['vllm', { id: 'm', max_model_len: 8192, root: 'm' }, 8192, null],
  ['groq', { id: 'm', context_window: 131072, max_completion_tokens: 40960 }, 131072, 40960],
  ['mistral', { id: 'm', max_context_length: 32768 }, 32768, null],
  ['openrouter', { id: 'm', context_length: 128000, top_provider: { max_completion_tokens: 16384 } }, 128000, 16384],
  ['openai-compatible', { id: 'm', meta: { n_vocab: 32000, n_ctx_train: 4096 } }, 4096, null],
  ['deepinfra', { id: 'm', metadata: { context_length: 40960 } }, 40960, null],
  ['fireworks', { id: 'm', context_length: '4096', max_model_len: -1, meta: 5 }, null, null],
  ['together', { id: 'm', context_length: 0.5, max_model_len: 1e12 }, null, null],
])('reads sizes from the list of %s', async (kind, model, contextWindow, maxOutput) => {
  const { result } = await queryFakeVendor({ data: [model] }, (url) => listModels(url, 'key', kind))
  expect(result).toEqual([{ name: 'm', contextWindow, maxOutput }])
})

it.each<[string, object, object]>([
  [
    'OpenRouter, as dollars per token',
    { architecture: { output_modalities: ['image', 'text'] }, pricing: { completion: '0.0000025', image_output: '0.00003' } },
    { makesImages: true, imageOutputRate: 30_000_000_000n },
  ],
  ['OpenRouter, without a price', { architecture: { output_modalities: ['image'] }, pricing: {} }, { makesImages: true }],
  ['LiteLLM', { model_info: { output_cost_per_image_token: 0.00012 } }, { imageOutputRate: 120_000_000_000n }],
  ['LiteLLM, flat', { output_cost_per_image_token: 0.00003 }, { imageOutputRate: 30_000_000_000n }],
  ['nobody in particular', { architecture: 'x', pricing: { image_output: '-1' }, output_cost_per_image_token: 'x' }, {}],
])('reads what images cost from the list of %s', async (_, fields, expected) => {
  const { result } = await queryFakeVendor({ data: [{ id: 'm', ...fields }] }, (url) => listModels(url, 'key', 'openrouter'))
  expect(result).toEqual([{ ...unsized('m'), ...expected }])
})

test("reads Google's names without what they begin with", async () => {
  const list = { models: [{ name: 'models/gemini-x', inputTokenLimit: 5 }, { displayName: 'x' }] }
  const { result } = await queryFakeVendor(list, (url) => listModels(url, 'key', 'google'))
  expect(result).toEqual([unsized('gemini-x')])
})

it.each([
  ['mistral', { data: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] }],
  ['groq', { object: 'list', data: [{ id: 'a' }, { id: 'b' }, { id: 7 }, null] }],
  // A bare list, without an object around it.
  ['together', [{ id: 'a' }, { id: 'b' }]],
])('reads the list of %s', async (kind, list) => {
  const { result, seen } = await queryFakeVendor(list, (url) => listModels(url, 'key', kind))
  expect(result).toEqual([unsized('a'), unsized('b')])
  expect(seen).toEqual([{ path: '/v1/models', authorization: 'Bearer key' }])
})

test('a vendor without a list says so, and is not asked', async () => {
  const { result, seen } = await queryFakeVendor({}, (url) =>
    listModels(url, 'key', 'azure').catch((error: Error) => error.message),
  )
  expect(result).toMatch(/does not list its models/)
  expect(seen).toEqual([])
})

test('a list of another form is an error in words', async () => {
  const { result } = await queryFakeVendor([{ id: 'a' }], (url) =>
    listModels(url, 'key', 'groq').catch((error: Error) => error.message),
  )
  expect(result).toMatch(/not in OpenAI/)
})
