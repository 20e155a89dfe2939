import type { Upload } from '../domain/form.ts'
import { audioSeconds } from './audio-length.ts'

/** How long the sound of an upload is, in seconds, by its data; null where there is none. On disk it is read where it lies. */
export async function uploadSeconds(file: Upload): Promise<number | null> {
  if (file.path !== null) return await audioSeconds(file.path)
  const pieces: Uint8Array[] = []
  for await (const piece of file.read()) pieces.push(piece)
  return await audioSeconds(Buffer.concat(pieces))
}
