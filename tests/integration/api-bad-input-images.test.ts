import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { addModel } from '../support/fixtures.ts'

let world: ApiWorld
const SIZES: Record<string, string[]> = {
  'sandbox/image-wide': ['1024x1024', '1792x1024', '1024x1792'],
  'sandbox/image-small': ['256x256', '512x512', '1024x1024'],
  'sandbox/image': ['1024x1024', '1536x1024', '1024x1536'],
}

beforeAll(async () => {
  world = await openApiWorld()
  const image = { modality: 'image', baseUrl: world.vendor.url, units: { image: '10000000000000' } }
  await addModel(world.pool, {
    ...image,
    id: 'fake/image',
    facts: { sizes: ['1024x1024'], qualities: ['standard', 'hd'], images: 2, characters: 50, formats: ['png'] },
  })
  await addModel(world.pool, {
    ...image,
    id: 'fake/unpriced',
    units: { 'image:256x256': '10000000000000' },
    facts: { sizes: ['512x512'] },
  })
  await untilModelKnown(world, 'fake/unpriced')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const bodyOf = (body: object): string => JSON.stringify({ model: 'fake/image', prompt: 'A heron', ...body })
const request = (secret: string, body: string) => ({ path: '/v1/images/generations', headers: headersOf(secret), body })
const expectRefusal = (body: object, param: string | null, message?: RegExp) =>
  world.expectRefused((secret) => request(secret, bodyOf(body)), {
    condition: 'invalid_request',
    param,
    ...(message ? { message } : {}),
  })

/** Values that each field cannot have: of the wrong type, out of range, absent. */
const INVALID_VALUES: Record<string, unknown[]> = {
  model: [undefined, null, 1, '', [], {}, 'x'.repeat(201)],
  prompt: [undefined, null, 5, '', [], {}, 'x'.repeat(100_001)],
  n: ['2', 0, -1, 1.5, 11, 1e9, true, []],
  size: [5, '', 'large', '1024', '1024X1024', '1024x', 'x1024', '-1x1', '0x0', '01x01', '1024x1024x1', '1000000x1', [], {}],
  quality: [5, '', 'x'.repeat(33), 'a"b', 'a\\', 'a b', 'a\u0000', 'a\n', 'a:b', [], {}],
  response_format: [5, '', 'png', 'URL', [], {}],
  background: ['blue', 5],
  output_format: ['gif', 5],
  output_compression: ['50', -1, 101, 1.5],
  partial_images: ['1', -1, 4, 1.5],
  moderation: ['none', 5],
  style: ['grim', 5],
  stream: ['true', 1, 0, []],
  user: [5, {}],
  service_tier: ['flex'],
  file_ids: [['file-1']],
  container: ['cntr_1'],
}

describe.each(Object.entries(INVALID_VALUES))('the field %s', (field, values) => {
  test.each(values.map((value) => [JSON.stringify(value)?.slice(0, 30) ?? 'nothing', value]))('is not %s', async (_, value) => {
    await expectRefusal({ [field]: value }, field)
  })
})

describe('what a model has', () => {
  test.each([
    ['size', { size: '512x512' }, /sizes "1024x1024"/],
    ['quality', { quality: 'ultra' }, /qualities "standard", "hd"/],
    ['n', { n: 3 }, /at most 2/],
    ['prompt', { prompt: 'x'.repeat(51) }, /at most 50 characters/],
    ['output_format', { output_format: 'webp' }, /formats "png"/],
    ['stream', { stream: true }, /does not stream/],
    ['model', { model: 'fake/chat' }, /this endpoint does not serve/],
  ])('is named where %s is something else: %j', async (param, body, message) => {
    await expectRefusal(body, param, message)
  })

  const unsupportedSizes = Object.entries(SIZES).flatMap(([model, sizes]) =>
    [...new Set(Object.values(SIZES).flat())].filter((size) => !sizes.includes(size)).map((size) => [model, size] as const),
  )
  test.each(unsupportedSizes)('as the specification lists it: %s has no %s', async (model, size) => {
    await expectRefusal({ model, size }, 'size')
  })

  test('does not matter where it has no price: nobody is asked to work for nothing', async () => {
    await world.expectRefused((secret) => request(secret, bodyOf({ model: 'fake/unpriced' })), { condition: 'internal' })
  })
})

test('a form is no JSON', async () => {
  const answer = await world.expectRefused(
    (secret) => ({
      path: '/v1/images/generations',
      headers: headersOf(secret).map(([name, value]) => [
        name,
        name === 'content-type' ? 'multipart/form-data; boundary=x' : value,
      ]),
      body: '--x--\r\n',
    }),
    { condition: 'wrong_content' },
  )
  expect(answer.status).toBe(415)
})

test('images that the balance does not cover are not asked for', async () => {
  const { secret } = await world.holder({}, 1_000_000n)
  const answer = await world.send(request(secret, bodyOf({ n: 2 })))
  expect([answer.status, answer.error().code]).toEqual([429, 'insufficient_quota'])
})
