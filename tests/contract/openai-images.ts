import { BadRequestError, InternalServerError, toFile } from 'openai'
import { describe, expect, test } from 'vitest'
import { pngOf } from '../fakes/image-vendor.ts'
import { costOf, expectNotCharged, expectRejection, readAll } from './expectations.ts'
import type { Host } from './world.ts'

const MODEL = 'sandbox/image'
const CENT = 10_000_000n

/** Width and height of a PNG. Throws if it is not one. */
function sizeOf(png: Buffer): string {
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`
}
const decodeBase64 = (base64: string | undefined): Buffer => Buffer.from(base64 ?? '', 'base64')

async function download(url: string | undefined): Promise<Buffer> {
  const answer = await fetch(url ?? '')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  return Buffer.from(await answer.arrayBuffer())
}

function generationCases(host: Host): void {
  test('an image has an address, where it is found', async () => {
    const account = await host.newAccount()
    const answer = await host.openai({ apiKey: account.key }).images.generate({ model: MODEL, prompt: 'A heron at dusk' })
    expect(answer.created).toBeGreaterThan(1_700_000_000)
    expect(sizeOf(await download(answer.data?.[0]?.url))).toBe('1024x1024')
    expect(costOf(answer.usage)).toBe(CENT)
    expect(await account.spent()).toBe(CENT)
  })

  test('several come as base64, each its own, and the same again for the same request', async () => {
    const ask = { model: MODEL, prompt: 'A heron', n: 2, response_format: 'b64_json' as const, quality: 'hd' as const }
    const answers = [await host.openai().images.generate(ask), await host.openai().images.generate(ask)]
    const [first, again] = answers.map(({ data }) => data?.map((item) => item.b64_json))
    expect(first).toHaveLength(2)
    expect(first?.[0]).not.toBe(first?.[1])
    expect(again).toEqual(first)
    expect(costOf(answers[0]?.usage)).toBe(4n * CENT)
  })

  test.each([
    ['sandbox/image-wide', '1792x1024'],
    ['sandbox/image-wide', '1024x1792'],
    ['sandbox/image-small', '256x256'],
    ['sandbox/image-small', '512x512'],
    [MODEL, '1536x1024'],
    [MODEL, '1024x1536'],
  ] as const)('%s draws at %s', async (model, size) => {
    const answer = await host.openai().images.generate({ model, size, prompt: 'A heron', response_format: 'b64_json' })
    expect(sizeOf(decodeBase64(answer.data?.[0]?.b64_json))).toBe(size)
  })

  test('a stream shows partial images, then the image', async () => {
    const account = await host.newAccount()
    const stream = await host
      .openai({ apiKey: account.key })
      .images.generate({ model: MODEL, prompt: 'A heron', stream: true, partial_images: 2 })
    const events = await readAll(stream)
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ])
    for (const event of events) expect(sizeOf(decodeBase64(event.b64_json))).toBe('1024x1024')
    const last = events.at(-1)
    expect(costOf(last?.type === 'image_generation.completed' ? last.usage : null)).toBe(CENT)
    expect(await account.spent()).toBe(CENT)
  })

  test('a stream of two images tells the cost of both with the second', async () => {
    const ask = { model: 'sandbox/image', prompt: 'A heron', n: 2, stream: true as const }
    const events = await readAll(await host.openai().images.generate(ask))
    expect(events.map(({ type }) => type)).toEqual(['image_generation.completed', 'image_generation.completed'])
    const last = events.at(-1)
    expect(costOf(last?.type === 'image_generation.completed' ? last.usage : null)).toBe(2n * CENT)
  })

  test('a size that the model lacks is a mistake of the request', async () => {
    const error = await expectRejection(
      BadRequestError,
      host.openai().images.generate({ model: 'sandbox/image-wide', prompt: 'A heron', size: '256x256' }),
    )
    expect(error).toMatchObject({ param: 'size', code: 'invalid_request_error' })
    expect(error.message).toContain('1792x1024')
  })

  test('a generation that fails is a server error, and free', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key })
    const error = await expectRejection(
      InternalServerError,
      client.images.generate({ model: 'sandbox/image-error', prompt: 'A heron' }),
    )
    expect(error).toMatchObject({ status: 500, code: 'server_error' })
    await expectNotCharged(account, 500, 'vendor_failed')
  })
}

function editCases(host: Host): void {
  const upload = (name: string, shade: number) => toFile(pngOf(64, 64, shade), name, { type: 'image/png' })

  test('an upload with a mask comes back as an image with an address', async () => {
    const account = await host.newAccount()
    const answer = await host.openai({ apiKey: account.key }).images.edit({
      model: MODEL,
      prompt: 'Add a heron',
      image: await upload('a.png', 200),
      mask: await upload('mask.png', 0),
      size: '1024x1024',
    })
    expect(sizeOf(await download(answer.data?.[0]?.url))).toBe('1024x1024')
    expect(await account.spent()).toBe(CENT)
  })

  test('several uploads at once', async () => {
    const image = [await upload('a.png', 10), await upload('b.png', 200)]
    const answer = await host
      .openai()
      .images.edit({ model: MODEL, prompt: 'Join them', image, n: 2, response_format: 'b64_json' })
    expect(answer.data?.map((item) => sizeOf(decodeBase64(item.b64_json)))).toEqual(['1024x1024', '1024x1024'])
  })

  test('a stream shows partial images, then the image', async () => {
    const ask = { model: MODEL, prompt: 'Add a heron', stream: true as const, partial_images: 2 }
    const events = await readAll(await host.openai().images.edit({ ...ask, image: await upload('a.png', 99) }))
    expect(events.map(({ type }) => type)).toEqual([
      'image_edit.partial_image',
      'image_edit.partial_image',
      'image_edit.completed',
    ])
    await readAll(await host.openai().images.edit({ ...ask, image: await upload('a.png', 98) }))
  })

  test('a file that is no image, and a model that does not edit', async () => {
    const client = host.openai()
    const text = await toFile(Buffer.from('Just text.'), 'a.png', { type: 'image/png' })
    const ask = { prompt: 'Add a heron' }
    const mistake = await expectRejection(BadRequestError, client.images.edit({ ...ask, model: MODEL, image: text }))
    expect(mistake.param).toBe('image')
    const other = client.images.edit({ ...ask, model: 'sandbox/image-wide', image: await upload('a.png', 1) })
    expect((await expectRejection(BadRequestError, other)).param).toBe('model')
  })
}

/** Images: generated, edited, streamed. */
export function openAiImages(host: Host): void {
  describe('images/generations', () => generationCases(host))
  describe('images/edits', () => editCases(host))
}
