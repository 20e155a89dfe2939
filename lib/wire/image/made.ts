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
export interface MadeImage {
  image: { url?: string; b64_json?: string }
  /** What history stores about it; null if there is no history. */
  note: string | null
  revisedPrompt: string | null
}

/** An image as a vendor delivered it, with its bytes. */
interface Given {
  type: string
  /** The form in which it arrived. The other one is made from it when it is needed. */
  base64: string | null
  bytes: Buffer | null
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Recognizes an image by its first bytes; null if it is not one. */
function ofBase64(text: string): Given | null {
  const base64 = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  const type = mediaTypeOf(Buffer.from(base64.slice(0, SIGNATURE_BYTES * 2), 'base64'), IMAGES)
  if (type === null) return null
  const bytes = Buffer.from(base64, 'base64')
  // Characters that decoding skips, or that only base64url has, would otherwise reach the client.
  const isClean = bytes.byteLength === Buffer.byteLength(base64, 'base64') && !base64.includes('-') && !base64.includes('_')
  return { type, base64: isClean ? base64 : null, bytes }
}

async function fetched(url: string, files: FilePort, origin: string | null): Promise<Given | null> {
  const { body } = await files.fetch(url, MAX_IMAGE_BYTES, origin)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const bytes = chunks.length === 1 && chunks[0] ? asBuffer(chunks[0]) : Buffer.concat(chunks)
  const type = mediaTypeOf(bytes, IMAGES)
  return type === null ? null : { type, base64: null, bytes }
}

const bytesOf = (given: Given): Buffer => {
  given.bytes ??= Buffer.from(given.base64 ?? '', 'base64')
  return given.bytes
}

async function noteOf(given: Given): Promise<string> {
  const bytes = bytesOf(given)
  // Images are long, so this runs on another thread.
  const digest = await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return mediaNote(given.type, bytes.byteLength, Buffer.from(digest).toString('hex'))
}

const kept = (given: Given, { files, at, fileLifeMs }: FinishPorts): Promise<{ url: string }> =>
  files.keep(bytesOf(given), given.type, at.getTime() + fileLifeMs)

/** Why an image that a vendor made could not be obtained. */
export class NoImage extends Error {
  readonly mark = 'no_image'
}

/**
 * Takes one image out of a vendor's answer, in the form that the client asked for. A vendor's own address is never passed on: its
 * content is fetched, only from public addresses and the vendor's own. Throws NoImage if there is none, and a Refusal if it
 * cannot be stored.
 */
export async function makeImage(item: unknown, wanted: ImageForm, ports: FinishPorts): Promise<MadeImage> {
  const { b64_json, url, revised_prompt } = objectIn(item) ?? {}
  const inline = textOf(b64_json) ?? (textOf(url)?.startsWith('data:') ? textOf(url) : null)
  const address = textOf(url)
  let given: Given | null = null
  if (inline !== null) given = ofBase64(inline)
  else if (address !== null)
    given = await fetched(address, ports.files, ports.vendorOrigin).catch((error: unknown) => {
      throw new NoImage(`not fetched: ${asRefusal(error)?.detail ?? (error as Error).name}`)
    })
  if (given === null) throw new NoImage('no bytes of an image')
  const found = given
  const [place, note] = await Promise.all([
    wanted === 'b64_json' ? null : kept(found, ports),
    ports.keepHistory ? noteOf(found) : null,
  ])
  const image = {
    ...(place === null ? {} : { url: place.url }),
    ...(wanted === 'url' ? {} : { b64_json: found.base64 ?? bytesOf(found).toString('base64') }),
  }
  return { image, note, revisedPrompt: textOf(revised_prompt) }
}
