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

it.each([
  ['mistral', { data: [{ id: 'a' }, { id: 'b' }] }],
  ['groq', { object: 'list', data: [{ id: 'a' }, { id: 'b' }, { id: 7 }, null] }],
  // A bare list, without an object around it.
  ['together', [{ id: 'a' }, { id: 'b' }]],
])('reads the list of %s', async (kind, list) => {
  const { result, seen } = await queryFakeVendor(list, (url) => listModels(url, 'key', kind))
  expect(result).toEqual(['a', 'b'])
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
