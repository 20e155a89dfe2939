import { newUuid } from '../new-uuid.ts'
import type { Picture } from './chat-types.ts'

/** What models that see take. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
export const PICTURE_TYPES = TYPES.join(',')
/** One picture, and all of a prompt: a request may have 16 MiB, and base64 takes a third more. */
export const MOST_PICTURE_MB = 8
const MOST_BYTES = MOST_PICTURE_MB * 1024 * 1024
const MOST_PICTURES = 8

export type PictureFault = 'type' | 'size' | 'many'

const dataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

/** Pictures among files, as data URLs, beside those that are there; and why one of them was left out. */
export async function addPictures(
  known: Picture[],
  files: readonly File[],
): Promise<{ pictures: Picture[]; fault: PictureFault | null }> {
  const pictures = [...known]
  let fault: PictureFault | null = null
  let size = known.reduce((sum, { url }) => sum + (url.length * 3) / 4, 0)
  for (const file of files) {
    size += file.size
    if (!TYPES.includes(file.type)) fault = 'type'
    else if (size > MOST_BYTES) fault = 'size'
    else if (pictures.length >= MOST_PICTURES) fault = 'many'
    else pictures.push({ id: newUuid(), name: file.name, url: await dataUrl(file) })
    if (fault !== null) break
  }
  return { pictures, fault }
}
