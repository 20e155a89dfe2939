import type { Canvas, Image } from '@napi-rs/canvas'
import { loadCanvas } from './canvas.ts'
import { drawLandscape, type Scene, writePrompt } from './draw-scene.ts'
import { seedOf } from './seed.ts'

export interface ImageSpec {
  prompt: string
  /** In pixels. */
  width: number
  height: number
  quality?: string
  /** Which of several images this is. Each looks different. */
  index?: number
  /** The format of the file, by default png. */
  format?: string
  /** How finished it is, from 0 to 1. An unfinished image is blurred. */
  progress?: number
  /** An image to edit: a PNG, JPEG, WebP or GIF. */
  base?: Uint8Array
  /** Its transparent pixels say where `base` is redrawn. Without a mask, the middle is redrawn. */
  mask?: Uint8Array
}

/** Scales an upload down to the drawn image's size, so that decoding it for each image is cheap. Throws if it is no image. */
export async function fitImage(bytes: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  const { createCanvas, loadImage } = await loadCanvas()
  const image = await loadImage(bytes)
  if (image.width <= width && image.height <= height) return bytes
  const canvas = createCanvas(width, height)
  canvas.getContext('2d').drawImage(image, 0, 0, width, height)
  return await canvas.encode('png')
}

/** The smallest box around the transparent part of a mask, in the mask's own pixels; null if there is none. */
function transparentBox(mask: Canvas): { x: number; y: number; width: number; height: number } | null {
  const { width, height } = mask
  const { data } = mask.getContext('2d').getImageData(0, 0, width, height)
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if ((data[(y * width + x) * 4 + 3] ?? 255) < 128) {
        left = Math.min(left, x)
        right = Math.max(right, x)
        top = Math.min(top, y)
        bottom = y
      }
  return right < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

async function drawEdit(canvas: Canvas, scene: Scene, base: Image, mask: Image | null): Promise<void> {
  const { createCanvas } = await loadCanvas()
  const { width, height } = scene
  const context = canvas.getContext('2d')
  const fresh = createCanvas(width, height)
  const overlayContext = fresh.getContext('2d')
  drawLandscape(overlayContext, scene)
  let place = { x: width * 0.1, y: height * 0.3, width: width * 0.8, height: height * 0.4 }
  if (mask) {
    const scaled = createCanvas(width, height)
    scaled.getContext('2d').drawImage(mask, 0, 0, width, height)
    place = transparentBox(scaled) ?? place
    writePrompt(overlayContext, scene, place)
    // What the mask covers stays unchanged.
    overlayContext.globalCompositeOperation = 'destination-out'
    overlayContext.drawImage(scaled, 0, 0)
  } else {
    overlayContext.clearRect(0, 0, width, height)
    writePrompt(overlayContext, scene, place)
  }
  context.drawImage(base, 0, 0, width, height)
  context.drawImage(fresh, 0, 0)
}

/** Redraws an unfinished image in coarse blocks. The further it is, the more blocks it has. */
async function pixelate(canvas: Canvas, progress: number): Promise<Canvas> {
  const { createCanvas } = await loadCanvas()
  const { width, height } = canvas
  const part = Math.max(0.02, progress * 0.35)
  const small = createCanvas(Math.max(1, Math.round(width * part)), Math.max(1, Math.round(height * part)))
  small.getContext('2d').drawImage(canvas, 0, 0, small.width, small.height)
  const large = createCanvas(width, height)
  large.getContext('2d').drawImage(small, 0, 0, width, height)
  return large
}

/**
 * Draws an image that shows its prompt, and returns it as a file. The same order gets the same image. Throws if `base` or `mask`
 * is not an image.
 */
export async function renderImage(spec: ImageSpec): Promise<Uint8Array> {
  const { prompt, width, height, quality = 'standard', index = 0, format = 'png', progress = 1, base, mask } = spec
  const { createCanvas, loadImage } = await loadCanvas()
  const seed = seedOf('image', { prompt, index, width, height, quality })
  const label = `sandbox · ${width}x${height}${quality === 'standard' ? '' : ` · ${quality}`}${index > 0 ? ` · ${index + 1}` : ''}`
  const scene: Scene = { prompt, width, height, seed, label }
  const canvas = createCanvas(width, height)
  if (base) await drawEdit(canvas, scene, await loadImage(base), mask ? await loadImage(mask) : null)
  else {
    drawLandscape(canvas.getContext('2d'), scene)
    writePrompt(canvas.getContext('2d'), scene, { x: 0, y: 0, width, height })
  }
  const shown = progress < 1 ? await pixelate(canvas, progress) : canvas
  if (format === 'jpeg') return await shown.encode('jpeg', quality === 'hd' ? 92 : 85)
  if (format === 'webp') return await shown.encode('webp', quality === 'hd' ? 92 : 85)
  return await shown.encode('png')
}
