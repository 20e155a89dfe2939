import type { Upload } from '../domain/form.ts'
import { audioSeconds } from './audio-length.ts'

/**
 * The duration of an upload's sound in seconds, measured from its data. Null if there is none. A file on disk is read in place.
 */
export async function uploadSeconds(file: Upload): Promise<number | null> {
  if (file.path !== null) return await audioSeconds(file.path)
  const pieces: Uint8Array[] = []
  for await (const piece of file.read()) pieces.push(piece)
  return await audioSeconds(Buffer.concat(pieces))
}
