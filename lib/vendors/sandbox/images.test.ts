import { describe, expect, it, vi } from 'vitest'
import type { FormPart, Upload } from '../../domain/form.ts'
import { readImageInfo } from '../../domain/image-info.ts'
import { createSandbox } from '../sandbox.ts'
import type { ForwardCall } from '../vendor.ts'
import { SANDBOX_MODELS } from './models.ts'
import { callOf, textOf } from './testing.ts'

const vendor = createSandbox({ now: () => 1_800_000_000_123, pace: 0 })

async function ask(body: Record<string, unknown>, given: Partial<ForwardCall> & { model?: string } = {}) {
  const call = callOf(given.form ? {} : body, { model: 'sandbox/image', ...given })
  const forward = vendor.forward[given.form ? 'openai.image-edits' : 'openai.images']
  if (!forward) throw new Error('the sandbox speaks both wires')
  const answer = await forward(call)
  return { status: answer.status, type: answer.headers['content-type'], text: await textOf(answer) }
}

interface Answer {
  created: number
  data: { b64_json: string }[]
  [name: string]: unknown
}
const read = ({ text }: { text: string }): Answer => JSON.parse(text) as Answer
const bytesOf = (answer: Answer, at = 0): Buffer => Buffer.from(answer.data[at]?.b64_json ?? '', 'base64')
const sizeOf = (png: Buffer): string => `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`

describe('the sandbox, asked for images', () => {
  it('draws as many as are asked for, at their size, each its own, and the same again', async () => {
    const body = { prompt: 'A heron', n: 2, size: '512x512' }
    const answer = read(await ask(body))
    expect(answer.created).toBe(1_800_000_000)
    expect(answer.data.map((_, at) => sizeOf(bytesOf(answer, at)))).toEqual(['512x512', '512x512'])
    expect(answer.data[0]).not.toEqual(answer.data[1])
    expect(read(await ask(body))).toEqual(answer)
    expect(bytesOf(read(await ask({ ...body, prompt: 'A crane' })))).not.toEqual(bytesOf(answer))
  })

  it.each([
    ['png', '89504e47'],
    ['jpeg', 'ffd8ff'],
    ['webp', '52494646'],
  ])('writes %s', async (output_format, start) => {
    const answer = read(await ask({ prompt: 'A heron', size: '256x256', output_format }))
    expect(bytesOf(answer).toString('hex').startsWith(start)).toBe(true)
    expect(answer.output_format).toBe(output_format)
  })

  it('streams partial images, and each image when it is complete', async () => {
    const { type, text } = await ask({ prompt: 'A heron', size: '256x256', n: 2, partial_images: 1, stream: true })
    expect(type).toMatch(/^text\/event-stream/)
    const events = text.split('\n\n').slice(0, -1)
    const types = events.map((event) => (JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}') as { type: string }).type)
    const one = ['image_generation.partial_image', 'image_generation.completed']
    expect(types).toEqual([...one, ...one])
    for (const [at, event] of events.entries()) expect(event.startsWith(`event: ${types[at]}\n`)).toBe(true)
  })

  it('fails where it is asked to, and does not know other models', async () => {
    expect((await ask({ prompt: 'x' }, { model: 'sandbox/image-error' })).status).toBe(500)
    expect((await ask({ prompt: 'x' }, { model: 'sandbox/chat' })).status).toBe(404)
    expect((await ask({ prompt: 'x' }, { model: 'constructor' })).status).toBe(404)
  })

  it('stops when its caller does', async () => {
    const cut = ask({ prompt: 'x' }, { signal: AbortSignal.abort() })
    await expect(cut).rejects.toMatchObject({ mark: 'vendor_failure', kind: 'cut' })
  })

  it('answers for every image model that it lists', async () => {
    const models = SANDBOX_MODELS.filter(({ modality }) => modality === 'image')
    expect(models.length).toBe(4)
    for (const { id, facts } of models)
      for (const size of facts.sizes ?? []) expect((await ask({ prompt: 'x', size }, { model: id })).status).not.toBe(404)
  })
})

/** The beginning of a PNG, which contains its size. */
function pngHead(width: number, height: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d4948445200000000000000000800000000', 'hex')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}

describe('the sandbox, asked for edits', () => {
  const fileOf = (name: string, content: Buffer): FormPart => {
    const file: Upload = {
      filename: `${name}.png`,
      type: 'image/png',
      bytes: content.length,
      sha256: '',
      path: null,
      async *read() {
        yield content
      },
    }
    return { name, file }
  }
  const texts = (fields: Record<string, string>): FormPart[] => Object.entries(fields).map(([name, value]) => ({ name, value }))

  it.each([false, true])('refuses what begins as an image does and is none (stream: %s)', async (stream) => {
    const broken = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100, 7)])
    const parts = [...texts({ prompt: 'A heron', size: '256x256' }), fileOf('image', broken)]
    const answer = await ask({}, { form: { parts }, stream })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { param: 'image', type: 'invalid_request_error' } })
  })

  it.each(['image', 'mask'])('refuses to unpack a small file of very many pixels: %s', async (field) => {
    const [small, bomb] = [read(await ask({ prompt: 'A lake', size: '16x16' })), pngHead(4001, 4000)]
    const parts = [...texts({ prompt: 'A heron', size: '256x256' }), fileOf('image', field === 'image' ? bomb : bytesOf(small))]
    if (field === 'mask') parts.push(fileOf('mask', bomb))
    const answer = await ask({}, { form: { parts } })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { param: field, message: expect.stringContaining('4001x4000') } })
  })

  it('names the upload that is none: the mask', async () => {
    const lake = bytesOf(read(await ask({ prompt: 'A lake', size: '256x256' })))
    const parts = [...texts({ prompt: 'A heron', size: '256x256' }), fileOf('image', lake), fileOf('mask', pngHead(16, 16))]
    const answer = await ask({}, { form: { parts } })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { param: 'mask' } })
  })

  it('unpacks a large upload once, however many images are made of it', async () => {
    const { Image } = await import('@napi-rs/canvas')
    const unpacked = vi.spyOn(Image.prototype, 'src', 'set')
    const lake = bytesOf(read(await ask({ prompt: 'A lake', size: '256x256' })))
    const parts = [...texts({ prompt: 'A heron', size: '64x64', n: '5' }), fileOf('image', lake), fileOf('mask', lake)]
    const answer = read(await ask({}, { form: { parts } }))
    expect(answer.data.length).toBe(5)
    const sizes = unpacked.mock.calls.map(([bytes]) => readImageInfo(bytes as Uint8Array)?.width)
    expect(sizes.filter((width) => width === 256).length).toBe(2)
    expect(sizes.filter((width) => width === 64).length).toBe(10)
  })

  it('draws over what it is sent', async () => {
    const [one, other] = await Promise.all(['A lake', 'A hill'].map((prompt) => ask({ prompt, size: '256x256' }).then(read)))
    if (!one || !other) throw new Error('no originals')
    const edit = async (image: Answer) =>
      read(
        await ask({}, { form: { parts: [...texts({ prompt: 'A heron', size: '256x256' }), fileOf('image', bytesOf(image))] } }),
      )
    const [first, second] = [await edit(one), await edit(other)]
    expect(sizeOf(bytesOf(first))).toBe('256x256')
    expect(bytesOf(first)).not.toEqual(bytesOf(second))
    expect(bytesOf(first)).not.toEqual(bytesOf(one))
  })
})
