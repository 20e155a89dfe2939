import { LLMock } from '@copilotkit/aimock'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { pngOf } from '../fakes/image-vendor.ts'
import { addModel } from '../support/fixtures.ts'

let world: ApiWorld
let aimock: LLMock
const PNG = pngOf(8, 8, 77)

beforeAll(async () => {
  world = await openApiWorld()
  aimock = await LLMock.create({ port: 0, logLevel: 'silent', strict: true })
  aimock.onImage(/heron/, { image: { b64Json: PNG.toString('base64'), revisedPrompt: 'A grey heron' } })
  aimock.onImage(/elsewhere/, { image: { url: 'http://127.0.0.1:9/made.png' } })
  await addModel(world.pool, {
    id: 'aimock/image',
    modality: 'image',
    capabilities: ['edits'],
    upstreamModel: 'dall-e-2',
    baseUrl: `${aimock.url}/v1`,
    units: { image: '10000000000000' },
  })
  await untilModelKnown(world, 'aimock/image')
})
afterAll(async () => {
  await aimock?.stop()
  await world?.[Symbol.asyncDispose]()
})

const client = async () => {
  const { secret } = await world.holder()
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey: secret, maxRetries: 0 })
}

// An independent implementation of the wire: it must accept what we send, and we must understand what it answers.
test('aimock makes an image', async () => {
  const openai = await client()
  const [item] = (await openai.images.generate({ model: 'aimock/image', prompt: 'A heron' })).data ?? []
  expect(item?.revised_prompt).toBe('A grey heron')
  expect(Buffer.from(await (await fetch(item?.url ?? '')).arrayBuffer())).toEqual(PNG)
  expect(aimock.getLastRequest()?.body).toMatchObject({ model: 'dall-e-2' })
})

test('aimock edits an image, sent as a form', async () => {
  const openai = await client()
  const image = await toFile(pngOf(), 'a.png', { type: 'image/png' })
  const ask = { model: 'aimock/image', prompt: 'Add a heron', response_format: 'b64_json' as const }
  const answer = await openai.images.edit({ ...ask, image })
  expect(answer.data?.[0]?.b64_json).toBe(PNG.toString('base64'))
})

test('an address that aimock names inside a private network is not fetched', async () => {
  const openai = await client()
  const failed = openai.images.generate({ model: 'aimock/image', prompt: 'elsewhere' })
  await expect(failed).rejects.toMatchObject({ status: 500, code: 'server_error' })
})
