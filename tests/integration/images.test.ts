import { createHash } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { imagesOf, imageUsage, pngOf, sendImages } from '../fakes/image-vendor.ts'
import { type Call, sendJson } from '../fakes/vendor.ts'
import { addDeployment, addModel } from '../support/fixtures.ts'
import { historyOf } from '../support/history.ts'
import { loadOpenAiDocument } from '../support/openai-document.ts'

const CENT = 10_000_000n
/** Nano-dollars per million images that cost one cent each. */
const PER_MILLION = 1_000_000n
const cents = (count: bigint): string => String(count * CENT * PER_MILLION)

/** What rounding adds for three price lines of input, in nano-dollars. */
const ROUNDING = 2n

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const image = { modality: 'image', baseUrl: world.vendor.url, upstreamModel: 'upstream-image', secret: 'vendor-credential' }
  await addModel(world.pool, {
    ...image,
    id: 'fake/image',
    facts: { sizes: ['1024x1024', '1792x1024'], qualities: ['standard', 'hd'], images: 4, characters: 100 },
    units: { 'image:1024x1024': cents(2n), 'image:1792x1024': cents(4n), 'image:1024x1024:hd': cents(3n), image: cents(9n) },
  })
  await addModel(world.pool, {
    ...image,
    id: 'fake/tokens',
    capabilities: ['streaming', 'edits', 'base64-only'],
    facts: {
      sizes: ['auto', '1024x1024'],
      qualities: ['auto', 'low', 'medium', 'high'],
      outputTokens: { '1024x1024:low': 272, '1024x1024:medium': 1056, '1024x1024:high': 4160 },
    },
    units: { input: '5000000000', image_input: '10000000000', image_output: '40000000000' },
  })
  await addModel(world.pool, {
    ...image,
    id: 'fake/auto',
    facts: { sizes: ['auto', '256x256', '512x512'] },
    units: {
      'image:256x256': cents(1n),
      'image:512x512': cents(2n),
    },
  })
  await addModel(world.pool, { ...image, id: 'fake/one', facts: { qualities: ['standard'] }, units: { image: cents(1n) } })
  await untilModelKnown(world, 'fake/one')
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Requests images. Returns the answer, and whose it is. */
async function make(body: object, answer: (call: Call) => void | Promise<void> = sendImages) {
  const holder = await world.holder()
  world.vendor.answer(answer)
  const rawAnswer = await world.send({
    path: '/v1/images/generations',
    headers: headersOf(holder.secret),
    body: JSON.stringify({ model: 'fake/image', prompt: 'A heron', ...body }),
  })
  return { holder, rawAnswer, record: () => world.record(holder.accountId), sent: world.vendor.calls.at(-1)?.body }
}

interface ImagesAnswer {
  created: number
  data: { url?: string; b64_json?: string; revised_prompt?: string }[]
  usage: Record<string, unknown>
  [name: string]: unknown
}
const read = (answer: { json(): object; text: string; status: number }): ImagesAnswer => {
  expect(answer.status, answer.text.slice(0, 500)).toBe(200)
  return answer.json() as ImagesAnswer
}

/** Fetches a result as anybody with its address would. */
async function download(url: string | undefined): Promise<{ type: string | null; bytes: Buffer }> {
  if (url === undefined) throw new Error('there is no address')
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  return { type: answer.headers.get('content-type'), bytes: Buffer.from(await answer.arrayBuffer()) }
}

describe('an answer', () => {
  test('has addresses of ours unless told otherwise, whatever the vendor sent', async () => {
    const { holder, rawAnswer, record, sent } = await make({ n: 2 })
    const answer = read(rawAnswer)
    expect(answer.created).toBe(1_700_000_000)
    expect(answer.data).toHaveLength(2)
    for (const [at, item] of answer.data.entries()) {
      expect(Object.keys(item)).toEqual(['url'])
      expect(item.url?.startsWith(`${world.url}/files/`)).toBe(true)
      const expires = Number(new URL(item.url ?? '').searchParams.get('expires')) * 1000
      expect(Math.abs(expires - Date.now() - 24 * 3_600_000)).toBeLessThan(10_000)
      expect(await download(item.url)).toEqual({ type: 'image/png', bytes: pngOf(4, 4, at) })
    }
    expect(answer.usage).toMatchObject({ images: 2, cost: 0.04, input_tokens: 0 })
    expect(rawAnswer.header('x-tollgate-cost')).toBe('0.04')
    expect(sent).toEqual({
      model: 'upstream-image',
      prompt: 'A heron',
      n: 2,
      size: '1024x1024',
      quality: 'standard',
      response_format: 'b64_json',
    })
    expect(await record()).toMatchObject({ charged: 4n * CENT, hold: 4n * CENT, outcome: 'finished', estimated: false })
    await world.expectSettledBooks(holder, 1)
  })

  test('has base64 where that is asked for', async () => {
    const { rawAnswer } = await make({ response_format: 'b64_json' })
    expect(read(rawAnswer).data).toEqual([{ b64_json: pngOf(4, 4, 0).toString('base64') }])
  })

  test('has both unasked where the model knows no response_format, because clients read base64 there', async () => {
    const images = imagesOf([{ b64_json: pngOf().toString('base64') }])
    const { rawAnswer } = await make({ model: 'fake/tokens' }, (call) => sendJson(call, images))
    const [item] = read(rawAnswer).data
    expect(item?.b64_json).toBe(pngOf().toString('base64'))
    expect((await download(item?.url)).bytes).toEqual(pngOf())
    const urlResult = await make({ model: 'fake/tokens', response_format: 'url' }, (call) => sendJson(call, images))
    expect(Object.keys(read(urlResult.rawAnswer).data[0] ?? {})).toEqual(['url'])
  })

  test('passes on what the vendor made of the prompt, and fields that nobody knows', async () => {
    const { rawAnswer, sent } = await make({ style: 'vivid', a_field_of_tomorrow: [1], user: null }, (call) =>
      sendJson(call, imagesOf([{ b64_json: pngOf().toString('base64'), revised_prompt: 'A grey heron' }])),
    )
    expect(read(rawAnswer).data[0]?.revised_prompt).toBe('A grey heron')
    expect(sent).toMatchObject({ style: 'vivid', a_field_of_tomorrow: [1] })
    expect(sent).not.toHaveProperty('user')
  })

  test('is fetched where the vendor names an address of its own, and kept here', async () => {
    for (const wanted of ['url', 'b64_json'] as const) {
      const { rawAnswer } = await make({ response_format: wanted }, (call) => {
        if (call.path === '/v1/made.png') call.response.writeHead(200, { 'content-type': 'image/png' }).end(pngOf(8, 8, 3))
        else sendJson(call, imagesOf([{ url: `${world.vendor.url}/made.png` }]))
      })
      const [item] = read(rawAnswer).data
      world.expectNoLeaks(rawAnswer)
      if (wanted === 'url') expect((await download(item?.url)).bytes).toEqual(pngOf(8, 8, 3))
      else expect(item?.b64_json).toBe(pngOf(8, 8, 3).toString('base64'))
    }
  })

  test('is of the size and quality that the model has, where both are left to it', async () => {
    const { rawAnswer, sent } = await make({ size: 'auto', quality: 'auto' })
    read(rawAnswer)
    expect(sent).toMatchObject({ size: '1024x1024', quality: 'standard' })
    const one = await make({ model: 'fake/one', quality: 'auto' })
    read(one.rawAnswer)
    expect(one.sent).not.toHaveProperty('quality')
  })

  test('may be a data: address', async () => {
    const { rawAnswer } = await make({}, (call) =>
      sendJson(call, imagesOf([{ url: `data:image/png;base64,${pngOf(2, 2).toString('base64')}` }])),
    )
    expect((await download(read(rawAnswer).data[0]?.url)).bytes).toEqual(pngOf(2, 2))
  })

  test('is replayed for an Idempotency-Key, at no charge', async () => {
    const holder = await world.holder()
    world.vendor.answer(sendImages)
    const ask = () =>
      world.send({
        path: '/v1/images/generations',
        headers: headersOf(holder.secret, [['idempotency-key', 'once']]),
        body: JSON.stringify({ model: 'fake/image', prompt: 'A heron' }),
      })
    const [first, second] = [await ask(), await ask()]
    expect(second.body).toEqual(first.body)
    expect((await world.record(holder.accountId)).charged).toBe(2n * CENT)
  })
})

const document = loadOpenAiDocument()
const requests: [string, object][] = [
  ['the least', {}],
  ['everything', { n: 2, size: '1024x1024', quality: 'hd', style: 'natural', response_format: 'url', user: 'u' }],
  ['null for what is not meant', { n: null, size: null, quality: null, style: null, response_format: null, stream: null }],
  ['tokens', { model: 'fake/tokens', quality: 'standard', output_format: 'webp', output_compression: 50, background: 'auto' }],
]
test.skipIf(!document).each(requests)('what goes out is as the OpenAI document has it: %s', async (_, body) => {
  const { sent } = await make(body)
  expect(document?.findProblems('CreateImageRequest', sent)).toEqual([])
})

describe('is billed', () => {
  test.each([
    [{ quality: 'hd' }, 3n],
    [{ size: '1792x1024' }, 4n],
    // Without a rate of their own, a size and quality cost what any image does.
    [{ size: '1792x1024', quality: 'hd', n: 2 }, 18n],
  ])('by size and quality: %j', async (body, price) => {
    const { rawAnswer, record } = await make(body)
    read(rawAnswer)
    expect(await record()).toMatchObject({ charged: price * CENT, hold: price * CENT })
  })

  test('for what came, where that is less than was asked for', async () => {
    const { rawAnswer, record, holder } = await make({ n: 3 }, (call) =>
      sendJson(call, imagesOf([{ b64_json: pngOf().toString('base64') }])),
    )
    expect(read(rawAnswer).data).toHaveLength(1)
    expect(await record()).toMatchObject({ charged: 2n * CENT, hold: 6n * CENT })
    await world.expectSettledBooks(holder, 1)
  })

  test('for no more than was asked for', async () => {
    const { rawAnswer, record } = await make({}, (call) => {
      sendJson(call, imagesOf([pngOf(), pngOf(), pngOf()].map((bytes) => ({ b64_json: bytes.toString('base64') }))))
    })
    expect(read(rawAnswer).data).toHaveLength(1)
    expect((await record()).charged).toBe(2n * CENT)
  })

  test.each([
    [{ size: '256x256' }, 1n],
    [{ size: '512x512' }, 2n],
    [{}, 2n],
    [{ size: '4096x4096' }, 2n],
  ])('at the size that the vendor chose, else at the dearest: %j', async (reported, price) => {
    const { rawAnswer, record } = await make({ model: 'fake/auto' }, (call) =>
      sendJson(call, imagesOf([{ b64_json: pngOf().toString('base64') }], reported)),
    )
    read(rawAnswer)
    expect(await record()).toMatchObject({ charged: price * CENT, hold: 2n * CENT })
  })

  test('by the tokens that the vendor reports', async () => {
    const { rawAnswer, record, sent, holder } = await make({ model: 'fake/tokens', quality: 'standard' }, (call) =>
      sendJson(call, imagesOf([{ b64_json: pngOf().toString('base64') }], { usage: imageUsage(20, 0, 1056), quality: 'medium' })),
    )
    const { usage, quality } = read(rawAnswer)
    // 20 tokens at $5 and 1056 at $40 per million.
    expect(usage).toEqual({ ...imageUsage(20, 0, 1056), images: 1, cost: 0.04234 })
    expect(quality).toBe('medium')
    // The specification's "standard" is this model's "medium", and the model has no response_format.
    expect(sent).toEqual({ model: 'upstream-image', prompt: 'A heron', quality: 'medium', size: 'auto' })
    const row = await record()
    expect(row).toMatchObject({ charged: 42_340_000n, input: 20n, estimated: false })
    // The prompt by its bytes, what vendors add, and the most tokens of that quality.
    expect(row.hold).toBe((7n + 512n) * 5_000n + 1056n * 40_000n + ROUNDING)
    await world.expectSettledBooks(holder, 1)
  })

  test('by what was held for those that came, where the vendor reports no tokens', async () => {
    const { rawAnswer, record, holder } = await make({ model: 'fake/tokens', quality: 'low', n: 2 }, (call) =>
      sendJson(call, imagesOf([{ b64_json: pngOf().toString('base64') }])),
    )
    read(rawAnswer)
    expect(await record()).toMatchObject({ charged: 7n * 5_000n + 272n * 40_000n, estimated: true })
    await world.expectSettledBooks(holder, 1)
  })

  test('with a hold that covers the dearest quality where the model chooses', async () => {
    const { record } = await make({ model: 'fake/tokens' }, (call) =>
      sendJson(call, imagesOf([{ b64_json: pngOf().toString('base64') }], { usage: imageUsage(5, 0, 272) })),
    )
    expect((await record()).hold).toBe((7n + 512n) * 5_000n + 4160n * 40_000n + ROUNDING)
  })
})

describe('a vendor', () => {
  const b64 = (bytes: Buffer) => bytes.toString('base64')
  const bad: [string, object | string][] = [
    ['makes no image', imagesOf([])],
    ['sends no list', { created: 1 }],
    ['sends no JSON', '<html></html>'],
    ['sends items that are none', imagesOf([null as never, 5 as never, {}])],
    ['sends text for an image', imagesOf([{ b64_json: b64(Buffer.from('This is a text, and no image at all.')) }])],
    ['names no address', imagesOf([{ url: 'made.png' }])],
    ['names a file of this machine', imagesOf([{ url: 'file:///etc/passwd' }])],
    ['names a private address', imagesOf([{ url: 'http://10.0.0.1/a.png' }])],
    ['names the address of a cloud’s secrets', imagesOf([{ url: 'http://169.254.169.254/latest/meta-data' }])],
  ]
  test.each(bad)('that %s is 500, and not paid', async (_, answer) => {
    const { rawAnswer, record, holder } = await make({}, (call) =>
      typeof answer === 'string' ? void call.response.writeHead(200).end(answer) : sendJson(call, answer),
    )
    expect(rawAnswer.status).toBe(500)
    expect(rawAnswer.error()).toMatchObject({ type: 'server_error', code: 'server_error', param: null })
    world.expectNoLeaks(rawAnswer)
    expect(await record()).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
    await world.expectSettledBooks(holder, 1)
  })

  test('whose address leads to this machine is refused, and nothing is asked there', async () => {
    let requestCount = 0
    const privateServer = createServer((_, response) => {
      requestCount++
      response.end(pngOf())
    }).listen(0, '127.0.0.1')
    await new Promise((ready) => privateServer.once('listening', ready))
    const { port } = privateServer.address() as AddressInfo
    for (const url of [
      `http://127.0.0.1:${port}/a.png`,
      `http://localhost:${port}/a.png`,
      `http://[::ffff:127.0.0.1]:${port}/`,
    ]) {
      const { rawAnswer, record } = await make({}, (call) => sendJson(call, imagesOf([{ url }])))
      expect(rawAnswer.status).toBe(500)
      expect((await record()).charged).toBe(0n)
    }
    expect(requestCount).toBe(0)
    privateServer.close()
  })

  test('is paid for the images that could be had', async () => {
    const { rawAnswer, record } = await make({ n: 3 }, (call) =>
      sendJson(call, imagesOf([{ url: 'http://10.0.0.1/a.png' }, { b64_json: b64(pngOf()) }, { b64_json: 'AAAA' }])),
    )
    expect(read(rawAnswer).data).toHaveLength(1)
    expect((await record()).charged).toBe(2n * CENT)
  })

  test('that does not like the prompt says so', async () => {
    const { rawAnswer, record } = await make({}, (call) =>
      sendJson(
        call,
        {
          error: {
            message: 'Your prompt was rejected by the safety system.',
            type: 'invalid_request_error',
            param: 'prompt',
            code: 'x',
          },
        },
        400,
      ),
    )
    expect(rawAnswer.status).toBe(400)
    expect(rawAnswer.error()).toMatchObject({ code: 'invalid_request_error', param: 'prompt' })
    expect(rawAnswer.error().message).toContain('rejected by the safety system')
    expect((await record()).charged).toBe(0n)
  })

  test('that fails is 500', async () => {
    const { rawAnswer } = await make({}, (call) => sendJson(call, { error: { message: 'Oops.' } }, 500))
    expect([rawAnswer.status, rawAnswer.error().code]).toEqual([500, 'server_error'])
  })
})

test('history keeps the prompt, and of images where they are, their size and digest', async () => {
  const image = pngOf(16, 16, 9)
  const { rawAnswer, holder } = await make({}, (call) => sendJson(call, imagesOf([{ b64_json: image.toString('base64') }])))
  const { id } = await world.record(holder.accountId)
  const { request, answer } = await historyOf(world.pool, id)
  expect(request).toMatchObject({ prompt: 'A heron', model: 'fake/image' })
  const digest = createHash('sha256').update(image).digest('hex').slice(0, 32)
  expect((answer as { data: object[] }).data).toEqual([
    { url: read(rawAnswer).data[0]?.url, b64_json: `[image/png, ${image.length} bytes, sha256 ${digest}]` },
  ])
})

test('what cannot be stored is 503 and free, and no other vendor is asked to make it again', async () => {
  const upstream = { baseUrl: world.vendor.url, upstreamModel: 'upstream-image' }
  await addModel(world.pool, { ...upstream, id: 'fake/twice', modality: 'image', units: { image: cents(1n) } })
  await addDeployment(world.pool, 'fake/twice', { ...upstream, priority: 1 })
  await untilModelKnown(world, 'fake/twice')
  expect((await make({ model: 'fake/twice' })).rawAnswer.status).toBe(200)
  const [folder, movedFolder] = [join(world.gateway.dataDir, 'files'), join(world.gateway.dataDir, 'files-aside')]
  await rename(folder, movedFolder)
  await writeFile(folder, 'in the way')
  const calls = world.vendor.calls.length
  try {
    const { rawAnswer, record, holder } = await make({ model: 'fake/twice' })
    expect([rawAnswer.status, rawAnswer.error().code]).toEqual([503, 'service_unavailable'])
    world.expectNoLeaks(rawAnswer)
    expect(world.vendor.calls.length - calls).toBe(1)
    expect(await record()).toMatchObject({ charged: 0n, outcome: 'vendor_failed', trace: [{ result: 'answered' }] })
    await world.expectSettledBooks(holder, 1)
  } finally {
    await rm(folder)
    await rename(movedFolder, folder)
  }
})
