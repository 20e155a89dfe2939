import { loadImage } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { loadCanvas } from './canvas.ts'
import { fitImage, renderImage } from './render-image.ts'

const order = { prompt: 'A lighthouse over a calm sea', width: 256, height: 192 }

/** The colors of an image's pixels, four numbers each. */
async function pixelsOf(bytes: Uint8Array) {
  const { createCanvas } = await loadCanvas()
  const image = await loadImage(bytes)
  const canvas = createCanvas(image.width, image.height)
  canvas.getContext('2d').drawImage(image, 0, 0)
  const { data } = canvas.getContext('2d').getImageData(0, 0, image.width, image.height)
  return {
    width: image.width,
    height: image.height,
    at: (x: number, y: number) => [...data.subarray((y * image.width + x) * 4).subarray(0, 4)],
    data,
  }
}

const differing = (a: Uint8ClampedArray, b: Uint8ClampedArray): number =>
  a.reduce((sum, value, at) => sum + (at % 4 < 3 && Math.abs(value - (b[at] ?? 0)) > 8 ? 1 : 0), 0) / (a.length * 0.75)

describe('renderImage', () => {
  it.each([
    ['png', '89504e47'],
    ['jpeg', 'ffd8ff'],
    ['webp', '52494646'],
  ])('writes a real %s of the size that was ordered', async (format, magic) => {
    const bytes = await renderImage({ ...order, format })
    expect(Buffer.from(bytes).toString('hex').startsWith(magic)).toBe(true)
    expect(await pixelsOf(bytes)).toMatchObject({ width: 256, height: 192 })
  })

  it.each([
    ['one word', 'w'.repeat(32_000)],
    ['words', 'A lighthouse over a calm sea. '.repeat(1000)],
    ['Han', '灯塔'.repeat(16_000)],
    ['signs of two units', '🎉'.repeat(16_000)],
  ])('is quick with a prompt as long as OpenAI takes: %s', async (_, prompt) => {
    await renderImage(order)
    const started = performance.now()
    expect(await pixelsOf(await renderImage({ ...order, prompt }))).toMatchObject({ width: 256, height: 192 })
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('is the same for the same order, and another one for another prompt, place or quality', async () => {
    const first = await renderImage(order)
    expect(await renderImage(order)).toEqual(first)
    for (const other of [{ prompt: 'A desert' }, { index: 1 }, { quality: 'hd' }])
      expect(
        differing((await pixelsOf(first)).data, (await pixelsOf(await renderImage({ ...order, ...other }))).data),
      ).toBeGreaterThan(0.01)
  })

  it('shows the prompt: dark letters on the panel, more of them for more words', async () => {
    const dark = async (prompt: string) => {
      const { data } = await pixelsOf(await renderImage({ ...order, prompt }))
      let count = 0
      for (let at = 0; at < data.length; at += 4)
        if ((data[at] ?? 255) + (data[at + 1] ?? 255) + (data[at + 2] ?? 255) < 150) count++
      return count
    }
    expect(await dark('word word word word')).toBeGreaterThan((await dark('i')) * 3)
  })

  it.each([['x'.repeat(4000)], ['字'.repeat(500)], [''], ['a\n\n\tb'], ['🙂 \u0000 \ud800']])(
    'draws any prompt, however odd',
    async (prompt) => {
      expect(await pixelsOf(await renderImage({ ...order, prompt }))).toMatchObject({ width: 256, height: 192 })
    },
  )

  it('comes nearer to the end with its progress', async () => {
    const { data } = await pixelsOf(await renderImage(order))
    const far = async (progress: number) => differing(data, (await pixelsOf(await renderImage({ ...order, progress }))).data)
    const [first, second] = [await far(0.1), await far(0.8)]
    expect(first).toBeGreaterThan(second)
    expect(second).toBeGreaterThan(0)
  })

  it('edits an image where the mask is transparent, and nowhere else', async () => {
    const { createCanvas } = await loadCanvas()
    const red = createCanvas(256, 192)
    red.getContext('2d').fillStyle = '#ff0000'
    red.getContext('2d').fillRect(0, 0, 256, 192)
    const mask = createCanvas(128, 96)
    mask.getContext('2d').fillRect(0, 0, 128, 96)
    mask.getContext('2d').clearRect(64, 0, 64, 96)
    const edited = await pixelsOf(
      await renderImage({ ...order, base: red.toBuffer('image/png'), mask: mask.toBuffer('image/png') }),
    )
    for (const [x, y] of [
      [5, 5],
      [100, 96],
      [120, 180],
    ] as const)
      expect(edited.at(x, y)).toEqual([255, 0, 0, 255])
    for (const [x, y] of [
      [140, 5],
      [250, 185],
    ] as const)
      expect(edited.at(x, y)).not.toEqual([255, 0, 0, 255])
  })

  it('edits what was larger as it does what fits', async () => {
    const { createCanvas } = await loadCanvas()
    const large = createCanvas(1024, 768)
    large.getContext('2d').fillStyle = '#ff0000'
    large.getContext('2d').fillRect(0, 0, 1024, 768)
    const base = await fitImage(large.toBuffer('image/png'), 256, 192)
    expect(await pixelsOf(base)).toMatchObject({ width: 256, height: 192 })
    expect(await fitImage(base, 256, 192)).toBe(base)
    expect((await pixelsOf(await renderImage({ ...order, base }))).at(5, 5)).toEqual([255, 0, 0, 255])
  })

  it('fails where there is no image to edit', async () => {
    await expect(renderImage({ ...order, base: Buffer.from('no image') })).rejects.toThrow()
    await expect(fitImage(Buffer.from('no image'), 256, 192)).rejects.toThrow()
  })
})
