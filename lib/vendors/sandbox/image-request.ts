import { filesOf, type Upload, valuesOf } from '../../domain/form.ts'
import type { ForwardCall } from '../vendor.ts'

/** What the sandbox reads from a request for images. */
export interface ImageRequest {
  prompt: string
  images: number
  size: string
  width: number
  height: number
  quality: string
  format: 'png' | 'jpeg' | 'webp'
  partials: number
  /** The image to edit, and the mask that says where; null for a new image. */
  base: Buffer | null
  mask: Buffer | null
}

const FORMATS = ['png', 'jpeg', 'webp'] as const
const DEFAULT_SIZE = '1024x1024'
/** Larger ones take seconds to draw. */
const MAX_SIDE = 2048

async function bytesOf(upload: Upload | undefined): Promise<Buffer | null> {
  if (!upload) return null
  const chunks: Uint8Array[] = []
  for await (const chunk of upload.read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** A field of either kind of body, as text; empty if it is missing. */
function fieldOf({ body, form }: ForwardCall, name: string): string {
  const value = form ? valuesOf(form, name)[0] : body[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

const numberOf = (text: string, max: number, fallback: number): number =>
  /^\d+$/.test(text) ? Math.min(Number(text), max) : fallback

function sizeOf(text: string): { size: string; width: number; height: number } {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(text) ?? []
  const fits = (side: string | undefined) => side !== undefined && Number(side) >= 16 && Number(side) <= MAX_SIDE
  if (!fits(width) || !fits(height)) return { size: DEFAULT_SIZE, width: 1024, height: 1024 }
  return { size: text, width: Number(width), height: Number(height) }
}

/** Reads a request that the gateway has checked. Missing fields get OpenAI's defaults. */
export async function readImageRequest(call: ForwardCall): Promise<ImageRequest> {
  const { form } = call
  const field = (name: string) => fieldOf(call, name)
  return {
    prompt: field('prompt'),
    images: Math.max(1, numberOf(field('n'), 10, 1)),
    ...sizeOf(field('size')),
    quality: field('quality') || 'standard',
    format: FORMATS.find((format) => format === field('output_format')) ?? 'png',
    partials: numberOf(field('partial_images'), 3, 0),
    base: form ? await bytesOf(filesOf(form, 'image')[0]) : null,
    mask: form ? await bytesOf(filesOf(form, 'mask')[0]) : null,
  }
}
