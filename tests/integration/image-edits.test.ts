import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { imagesOf, imageUsage, pngOf } from '../fakes/image-vendor.ts'
import { type Call, sendJson } from '../fakes/vendor.ts'
import { addModel } from '../support/fixtures.ts'
import { historyOf } from '../support/history.ts'
import { loadOpenAiDocument } from '../support/openai-document.ts'

const document = loadOpenAiDocument()
const PATH = '/v1/images/edits'
const CENT = 10_000_000n
const cents = (count: bigint): string => String(count * CENT * 1_000_000n)
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const image = { modality: 'image', baseUrl: world.vendor.url, upstreamModel: 'upstream-image', secret: 'vendor-credential' }
  await addModel(world.pool, {
    ...image,
    id: 'fake/edits',
    capabilities: ['edits'],
    facts: { sizes: ['1024x1024', '512x512'], qualities: ['standard'], images: 4, inputs: 2 },
    units: { 'image:1024x1024': cents(2n), 'image:512x512': cents(1n) },
  })
  await addModel(world.pool, {
    ...image,
    id: 'fake/tokens',
    capabilities: ['edits', 'streaming', 'base64-only'],
    facts: { sizes: ['auto', '1024x1024'], outputTokens: { '1024x1024:null': 4160 } },
    units: { input: '5000000000', image_input: '10000000000', image_output: '40000000000' },
  })
  await addModel(world.pool, { ...image, id: 'fake/draws-over', capabilities: ['edits'], units: { image: cents(1n) } })
  await addModel(world.pool, { ...image, id: 'fake/draws', units: { image: cents(1n) } })
  await untilModelKnown(world, 'fake/draws')
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Part = [name: string, content: string | Buffer, filename?: string, type?: string]
const IMAGE: Part = ['image', pngOf(8, 8, 1), 'a.png', 'image/png']
const validParts: Part[] = [['model', 'fake/edits'], ['prompt', 'Add a heron'], IMAGE]

const BOUNDARY = 'a-boundary-of-tests'

/** The bytes of a form, written out: nothing checks or repairs them. */
function bytesOf(parts: readonly Part[]): Buffer {
  const pieces = parts.map(([name, content, filename, type]) =>
    Buffer.concat([
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`,
      ),
      Buffer.from(type === undefined ? '\r\n' : `Content-Type: ${type}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
  )
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

const formHeaders = (secret: string, type = `multipart/form-data; boundary=${BOUNDARY}`): [string, string][] =>
  headersOf(secret).map(([name, value]) => [name, name === 'content-type' ? type : value])

const inline = (png: Buffer): string => `data:image/png;base64,${png.toString('base64')}`

const request = (secret: string, parts: readonly Part[]) => ({
  path: PATH,
  headers: formHeaders(secret),
  body: bytesOf(parts),
})

async function edit(parts: readonly Part[], answer: (call: Call) => void = sendOne) {
  const holder = await world.holder()
  world.vendor.answer(answer)
  const rawAnswer = await world.send(request(holder.secret, parts))
  return { holder, rawAnswer, record: () => world.record(holder.accountId), sent: world.vendor.calls.at(-1) }
}

function sendOne(call: Call): void {
  sendJson(call, imagesOf([{ b64_json: pngOf().toString('base64') }]))
}

const fieldsOf = (call: Call | undefined) => [...(call?.form ?? [])].map(([name, value]) => [name, typeof value])

describe('an edit', () => {
  test('goes to the vendor as a form, with its files, and comes back as an address', async () => {
    const mask = pngOf(8, 8, 0)
    const { rawAnswer, record, sent, holder } = await edit([
      ...validParts,
      ['mask', mask, 'm.png', 'image/png'],
      ['n', '2'],
      ['response_format', 'url'],
      ['a_field_of_tomorrow', 'kept'],
    ])
    expect(rawAnswer.status, rawAnswer.text.slice(0, 400)).toBe(200)
    expect((rawAnswer.json() as { data: { url: string }[] }).data[0]?.url).toMatch(/\/files\//)
    expect(sent?.path).toBe('/v1/images/edits')
    expect(Object.fromEntries([...(sent?.form ?? [])].filter(([, value]) => typeof value === 'string'))).toEqual({
      model: 'upstream-image',
      prompt: 'Add a heron',
      size: '1024x1024',
      response_format: 'b64_json',
      n: '2',
      a_field_of_tomorrow: 'kept',
    })
    const [file, drawn] = ['image', 'mask'].map((name) => sent?.form?.get(name)) as [File, File]
    expect([file.name, file.type, Buffer.from(await file.arrayBuffer())]).toEqual(['a.png', 'image/png', IMAGE[1]])
    expect(Buffer.from(await drawn.arrayBuffer())).toEqual(mask)
    expect(await record()).toMatchObject({ charged: 2n * CENT, hold: 4n * CENT, outcome: 'finished' })
    await world.expectSettledBooks(holder, 1)
  })

  test('may come as JSON, with its images in it, and goes out as a form all the same', async () => {
    const holder = await world.holder()
    world.vendor.answer(sendOne)
    // Too large to stay in memory.
    const [large, small, mask] = [Buffer.concat([pngOf(8, 8, 1), Buffer.alloc(2 * 1024 * 1024)]), pngOf(4, 4, 2), pngOf(8, 8, 0)]
    const body = {
      model: 'fake/edits',
      images: [{ image_url: inline(large) }, { image_url: inline(small) }],
      mask: { image_url: inline(mask) },
      prompt: 'Add a heron',
      n: 2,
      quality: null,
      a_field_of_tomorrow: true,
    }
    const jsonRequest = { path: PATH, headers: headersOf(holder.secret), body: JSON.stringify(body) }
    const rawAnswer = await world.send(jsonRequest)
    expect(rawAnswer.status, rawAnswer.text.slice(0, 400)).toBe(200)
    const form = world.vendor.calls.at(-1)?.form
    expect(Object.fromEntries([...(form ?? [])].filter(([, value]) => typeof value === 'string'))).toEqual({
      model: 'upstream-image',
      prompt: 'Add a heron',
      size: '1024x1024',
      response_format: 'b64_json',
      n: '2',
      a_field_of_tomorrow: 'true',
    })
    const files = [...(form?.getAll('image[]') ?? []), form?.get('mask')] as File[]
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['image-1.png', 'image/png'],
      ['image-2.png', 'image/png'],
      ['mask-1.png', 'image/png'],
    ])
    expect(await Promise.all(files.map(async (file) => Buffer.from(await file.arrayBuffer())))).toEqual([large, small, mask])
    expect(await world.record(holder.accountId)).toMatchObject({ charged: 2n * CENT, hold: 4n * CENT, outcome: 'finished' })
    await world.expectSettledBooks(holder, 1)
  })

  test('takes a switch as Python writes it, and sends it on as JSON does', async () => {
    const { rawAnswer, sent } = await edit([...validParts, ['stream', 'False']])
    expect(rawAnswer.status, rawAnswer.text.slice(0, 400)).toBe(200)
    expect(sent?.form?.get('stream')).toBe('false')
  })

  test('takes an empty field for one that is not there: go-openai cannot leave these two out', async () => {
    const { rawAnswer, sent } = await edit([
      ['model', 'fake/draws-over'],
      ...validParts.slice(1),
      ['size', ''],
      ['response_format', ''],
    ])
    expect(rawAnswer.status, rawAnswer.text.slice(0, 400)).toBe(200)
    expect(fieldsOf(sent).filter(([, type]) => type === 'string')).toEqual([
      ['model', 'string'],
      ['response_format', 'string'],
      ['prompt', 'string'],
    ])
    expect(sent?.form?.get('response_format')).toBe('b64_json')
  })

  test('comes back as an address and as base64, which clients of OpenAI read without asking', async () => {
    const { rawAnswer } = await edit(validParts)
    expect(rawAnswer.status, rawAnswer.text).toBe(200)
    expect(rawAnswer.json()).toMatchObject({
      data: [{ url: expect.stringMatching(/\/files\//), b64_json: pngOf().toString('base64') }],
    })
  })

  test.skipIf(!document)('goes out as the OpenAI document has it', async () => {
    const { sent } = await edit([
      ...validParts,
      ['mask', pngOf(), 'm.png'],
      ['n', '2'],
      ['size', '512x512'],
      ['response_format', 'url'],
    ])
    const body = Object.fromEntries(
      // A form has only texts and files, and to a schema files are texts too.
      [...(sent?.form ?? [])].map(([name, value]) => [name, name === 'n' ? Number(value) : String(value)]),
    )
    expect(document?.findProblems('CreateImageEditRequest', body)).toEqual([])
  })

  test('takes several images, written either way', async () => {
    for (const name of ['image', 'image[]']) {
      const { rawAnswer, sent } = await edit([
        ...validParts.slice(0, 2),
        [name, pngOf(8, 8, 1), 'a.png'],
        [name, pngOf(8, 8, 2), 'b.png'],
      ])
      expect(rawAnswer.status, rawAnswer.text).toBe(200)
      expect(fieldsOf(sent).filter(([field]) => field === name)).toHaveLength(2)
    }
  })

  test('is held for and billed in tokens of text and of images', async () => {
    const parts: Part[] = [['model', 'fake/tokens'], ['prompt', 'Add a heron'], IMAGE]
    const { rawAnswer, record, sent, holder } = await edit(parts, (call) =>
      sendJson(call, imagesOf([{ b64_json: pngOf().toString('base64') }], { usage: imageUsage(20, 400, 4160) })),
    )
    expect(rawAnswer.status, rawAnswer.text).toBe(200)
    expect(fieldsOf(sent).some(([name]) => name === 'response_format')).toBe(false)
    const row = await record()
    expect(row.charged).toBe(20n * 5_000n + 400n * 10_000n + 4160n * 40_000n)
    expect(row.hold).toBeGreaterThanOrEqual(row.charged)
    expect(row.shortfall).toBe(0n)
    await world.expectSettledBooks(holder, 1)
  })

  test('is kept in history with its files as type, size and digest', async () => {
    const { holder } = await edit(validParts)
    const { id } = await world.record(holder.accountId)
    const { request: storedRequest } = await historyOf(world.pool, id)
    expect(storedRequest).toEqual({
      model: 'fake/edits',
      prompt: 'Add a heron',
      image: [expect.stringMatching(/^a\.png \[image\/png, \d+ bytes, sha256 [0-9a-f]{32}\]$/)],
    })
  })
})

describe('what is not accepted', () => {
  const partsWithout = (name: string): Part[] => validParts.filter(([field]) => field !== name)
  const twenty = Array.from({ length: 20 }, (_, at): Part => ['image[]', pngOf(4, 4, at), `${at}.png`, 'image/png'])
  const cases: [string, Part[], string | null][] = [
    ['no model', partsWithout('model'), 'model'],
    ['no prompt', partsWithout('prompt'), 'prompt'],
    ['an empty prompt', [...partsWithout('prompt'), ['prompt', '']], 'prompt'],
    ['two prompts', [...validParts, ['prompt', 'Another']], 'prompt'],
    ['no image', partsWithout('image'), 'image'],
    ['an image that is text', [...partsWithout('image'), ['image', 'https://example.com/a.png']], 'image'],
    ['a text file named .png', [...partsWithout('image'), ['image', 'Just some text.', 'a.png', 'image/png']], 'image'],
    ['a zero-byte file', [...partsWithout('image'), ['image', '', 'a.png', 'image/png']], 'image'],
    ['twenty files', [...partsWithout('image'), ...twenty], 'image[]'],
    ['more images than the model edits', [...validParts, IMAGE, IMAGE], 'image'],
    ['two masks', [...validParts, ['mask', pngOf(), 'a.png'], ['mask', pngOf(), 'b.png']], 'mask'],
    ['a mask that is a JPEG', [...validParts, ['mask', Buffer.from('ffd8ffe000104a464946', 'hex'), 'm.png']], 'mask'],
    ['a file of another name', [...validParts, ['style_reference', pngOf(), 's.png']], 'style_reference'],
    ['a size that the model lacks', [...validParts, ['size', '256x256']], 'size'],
    ['a size that is none', [...validParts, ['size', 'large']], 'size'],
    ['n of nothing', [...validParts, ['n', '0']], 'n'],
    ['n of text', [...validParts, ['n', 'two']], 'n'],
    ['n over the model’s most', [...validParts, ['n', '5']], 'n'],
    ['a quality that the model lacks', [...validParts, ['quality', 'hd']], 'quality'],
    ['a response_format that there is not', [...validParts, ['response_format', 'bmp']], 'response_format'],
    ['stream of a model that does not', [...validParts, ['stream', 'true']], 'stream'],
    ['stream that is neither', [...validParts, ['stream', 'yes']], 'stream'],
    ['output_compression out of range', [...validParts, ['output_compression', '101']], 'output_compression'],
    ['input_fidelity of another word', [...validParts, ['input_fidelity', 'most']], 'input_fidelity'],
    ['a model that only draws', [...partsWithout('model'), ['model', 'fake/draws']], 'model'],
    ['a model that chats', [...partsWithout('model'), ['model', 'fake/chat']], 'model'],
  ]
  test.each(cases)('%s', async (_, parts, param) => {
    await world.expectRefused((secret) => request(secret, parts), { condition: 'invalid_request', param })
  })

  test('a model that is not there', async () => {
    await world.expectRefused((secret) => request(secret, [...partsWithout('model'), ['model', 'fake/none']]), {
      condition: 'unknown_model',
      param: 'model',
    })
  })

  test('what is neither a form nor JSON', async () => {
    const { secret } = await world.holder()
    const answer = await world.send({ path: PATH, headers: formHeaders(secret, 'text/plain'), body: 'x' })
    expect([answer.status, answer.text]).toEqual([415, expect.stringMatching(/multipart\/form-data.*or JSON as/)])
  })

  const GIF = Buffer.from('GIF89a').toString('base64')
  const one = { images: [{ image_url: inline(pngOf()) }] }
  test.each<[string, object, string]>([
    ['without images', {}, 'images'],
    ['with a list of none', { images: [] }, 'images'],
    ['with an image that is no list', { images: { image_url: inline(pngOf()) } }, 'images'],
    ['with an image in a field of forms', { image: inline(pngOf()) }, 'image'],
    ['with a text instead of an image', { images: [inline(pngOf())] }, 'images[0].image_url'],
    ['with an image that lies elsewhere', { images: [{ image_url: 'https://example.com/a.png' }] }, 'images[0].image_url'],
    [
      'with an image of another type',
      { images: [...one.images, { image_url: `data:image/png;base64,${GIF}` }] },
      'images[1].image_url',
    ],
    ['with an image of nothing', { images: [{ image_url: 'data:image/png;base64,' }] }, 'images[0].image_url'],
    ['with a file of a vendor’s account', { images: [{ file_id: 'file-1' }] }, 'images[0].file_id'],
    ['with a mask that is a list', { ...one, mask: [{ image_url: inline(pngOf()) }] }, 'mask.image_url'],
    ['with more images than there may be', { images: Array.from({ length: 17 }, () => one.images[0]) }, 'images[16].image_url'],
    ['with more images than the model edits', { images: Array.from({ length: 3 }, () => one.images[0]) }, 'image'],
    ['with an object where text belongs', { ...one, prompt: {} }, 'prompt'],
    ['with a field of a long name', { ...one, ['x'.repeat(201)]: 'x' }, 'x'.repeat(64)],
    ['with a wrong n', { ...one, n: 0 }, 'n'],
  ])('JSON %s', async (_, body, param) => {
    await world.expectRefused(
      (secret) => ({
        path: PATH,
        headers: headersOf(secret),
        body: JSON.stringify({ model: 'fake/edits', prompt: 'Add a heron', ...body }),
      }),
      { condition: 'invalid_request', param },
    )
  })

  test.each([
    ['no boundary', 'multipart/form-data', 'Content-Type'],
    ['another boundary', 'multipart/form-data; boundary=other', null],
  ])('%s', async (_, type, param) => {
    await world.expectRefused((secret) => ({ path: PATH, headers: formHeaders(secret, type), body: bytesOf(validParts) }), {
      condition: 'invalid_request',
      param,
    })
  })

  test('a form that ends in the middle of its file', async () => {
    const completeForm = bytesOf(validParts)
    await world.expectRefused(
      (secret) => ({ path: PATH, headers: formHeaders(secret), body: completeForm.subarray(0, completeForm.length - 60) }),
      { condition: 'invalid_request', param: 'image' },
    )
  })
})
