import { newUuid } from '../new-uuid.ts'
import type { PromptImage } from './chat-types.ts'

/** The image types that vision models accept. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
export const IMAGE_TYPES = TYPES.join(',')
/** Limits for one image and for all of a prompt: a request may have 16 MiB, and base64 adds a third. */
export const MAX_PICTURE_MB = 8
const MAX_BYTES = MAX_PICTURE_MB * 1024 * 1024
const MAX_PICTURES = 8

export type ImageFault = 'type' | 'size' | 'many'

const dataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

const bytesOf = ({ url }: PromptImage): number => (url.length * 3) / 4

/** Adds images to the existing ones, up to the limits of a prompt. Also returns why one was left out. */
export function joinImages(
  known: readonly PromptImage[],
  added: readonly PromptImage[],
): { pictures: PromptImage[]; fault: ImageFault | null } {
  const pictures = [...known]
  let size = known.reduce((sum, picture) => sum + bytesOf(picture), 0)
  for (const picture of added) {
    size += bytesOf(picture)
    if (size > MAX_BYTES) return { pictures, fault: 'size' }
    if (pictures.length >= MAX_PICTURES) return { pictures, fault: 'many' }
    pictures.push(picture)
  }
  return { pictures, fault: null }
}

/** Reads files as images (data URLs), up to the first one that cannot be sent. Also returns why it cannot. */
export async function readImageFiles(files: readonly File[]): Promise<{ pictures: PromptImage[]; fault: ImageFault | null }> {
  let read: { pictures: PromptImage[]; fault: ImageFault | null } = { pictures: [], fault: null }
  for (const file of files) {
    if (!TYPES.includes(file.type)) return { ...read, fault: 'type' }
    if (file.size > MAX_BYTES) return { ...read, fault: 'size' }
    read = joinImages(read.pictures, [{ id: newUuid(), name: file.name, url: await dataUrl(file) }])
    if (read.fault !== null) return read
  }
  return read
}
