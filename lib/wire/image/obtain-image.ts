import { webcrypto } from 'node:crypto'
import { asBuffer } from '../../domain/as-buffer.ts'
import { asRefusal } from '../../domain/errors.ts'
import { mediaTypeOf, SIGNATURE_BYTES } from '../../domain/media-type.ts'
import type { FilePort, FinishPorts } from '../answer.ts'
import { objectIn } from '../json.ts'
import { mediaNote } from '../media-note.ts'

/** The largest image that is fetched from an address that a vendor names. */
const MAX_IMAGE_BYTES = 32 * 1024 * 1024
const IMAGES = ['image/*']

/** The form in which images are returned: at an address of the gateway, in the answer itself, or both. */
export type ImageForm = 'url' | 'b64_json' | 'both'

/** An image as it is returned. */
export interface ObtainedImage {
  image: { url?: string; b64_json?: string }
  /** What history stores about it; null if there is no history. */
  note: string | null
  revisedPrompt: string | null
}

/** An image as a vendor delivered it, with its bytes. */
interface VendorImage {
  type: string
  /** The form in which it arrived. The other one is made from it when it is needed. */
  base64: string | null
  bytes: Buffer | null
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Recognizes an image by its first bytes; null if it is not one. */
function imageFromBase64(text: string): VendorImage | null {
  const base64 = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  const type = mediaTypeOf(Buffer.from(base64.slice(0, SIGNATURE_BYTES * 2), 'base64'), IMAGES)
  if (type === null) return null
  const bytes = Buffer.from(base64, 'base64')
  // Characters that decoding skips, or that only base64url has, would otherwise reach the client.
  const isClean = bytes.byteLength === Buffer.byteLength(base64, 'base64') && !base64.includes('-') && !base64.includes('_')
  return { type, base64: isClean ? base64 : null, bytes }
}

async function fetchImage(url: string, files: FilePort, origin: string | null): Promise<VendorImage | null> {
  const { body } = await files.fetch(url, MAX_IMAGE_BYTES, origin)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const bytes = chunks.length === 1 && chunks[0] ? asBuffer(chunks[0]) : Buffer.concat(chunks)
  const type = mediaTypeOf(bytes, IMAGES)
  return type === null ? null : { type, base64: null, bytes }
}

const bytesOf = (source: VendorImage): Buffer => {
  source.bytes ??= Buffer.from(source.base64 ?? '', 'base64')
  return source.bytes
}

async function noteOf(source: VendorImage): Promise<string> {
  const bytes = bytesOf(source)
  // Images are long, so this runs on another thread.
  const digest = await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return mediaNote(source.type, bytes.byteLength, Buffer.from(digest).toString('hex'))
}

const storeImage = (source: VendorImage, { files, at, fileLifetimeMs }: FinishPorts): Promise<{ url: string }> =>
  files.save(bytesOf(source), source.type, at.getTime() + fileLifetimeMs)

/** Why an image that a vendor made could not be obtained. */
export class NoImageError extends Error {
  readonly mark = 'no_image'
}

/**
 * Takes one image out of a vendor's answer, in the form that the client asked for. A vendor's own address is never passed on: its
 * content is fetched, only from public addresses and the vendor's own. Throws NoImageError if there is none, and a Refusal if it
 * cannot be stored.
 */
export async function obtainImage(item: unknown, wanted: ImageForm, ports: FinishPorts): Promise<ObtainedImage> {
  const { b64_json, url, revised_prompt } = objectIn(item) ?? {}
  const inline = textOf(b64_json) ?? (textOf(url)?.startsWith('data:') ? textOf(url) : null)
  const imageUrl = textOf(url)
  let source: VendorImage | null = null
  if (inline !== null) source = imageFromBase64(inline)
  else if (imageUrl !== null)
    source = await fetchImage(imageUrl, ports.files, ports.vendorOrigin).catch((error: unknown) => {
      throw new NoImageError(`not fetched: ${asRefusal(error)?.detail ?? (error as Error).name}`)
    })
  if (source === null) throw new NoImageError('no bytes of an image')
  const found = source
  const [savedFile, note] = await Promise.all([
    wanted === 'b64_json' ? null : storeImage(found, ports),
    ports.keepHistory ? noteOf(found) : null,
  ])
  const image = {
    ...(savedFile === null ? {} : { url: savedFile.url }),
    ...(wanted === 'url' ? {} : { b64_json: found.base64 ?? bytesOf(found).toString('base64') }),
  }
  return { image, note, revisedPrompt: textOf(revised_prompt) }
}
