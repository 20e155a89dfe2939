import { type ByteSource, sliceFrom, withByteSource } from './audio/bytes.ts'
import { flacSeconds } from './audio/flac.ts'
import { longestSeconds, tagBytes } from './audio/frames.ts'
import { mp4Seconds } from './audio/mp4.ts'
import { readAdts, readMpeg } from './audio/mpeg.ts'
import { oggSeconds } from './audio/ogg.ts'
import { wavSeconds } from './audio/wav.ts'
import { webmSeconds } from './audio/webm.ts'

/** How many tags may precede a file's content, one after the other. */
const MAX_TAGS = 16

/** Measures a file by the format that its first bytes show. An MP4 is read from `source`, which has no tag in front. */
async function measureSeconds(bytes: ByteSource, source: string | Uint8Array | null): Promise<number | null> {
  const head = await bytes.read(0, 12)
  const startsWith = (name: string, at = 0) => head.toString('latin1', at, at + name.length) === name
  if (startsWith('RIFF') && startsWith('WAVE', 8)) return wavSeconds(bytes)
  if (startsWith('OggS')) return oggSeconds(bytes)
  if (startsWith('fLaC')) return flacSeconds(bytes)
  if (startsWith('\x1aE\xdf\xa3')) return webmSeconds(bytes)
  if (['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide'].some((box) => startsWith(box, 4))) {
    return source === null ? null : mp4Seconds(bytes, source)
  }
  return longestSeconds(bytes, [readAdts, readMpeg])
}

/**
 * The duration of a file's sound, in seconds: WAV (PCM, float, A-law, mu-law), MP3 and MP2, AAC, MP4 and M4A, QuickTime, WebM and
 * Matroska, FLAC, and Ogg with Opus, Vorbis, FLAC or Speex. This duration is billed, so if a header may lie or the file is
 * truncated, it is measured from the sound itself. It is never shorter than the file's packets, and the file is never read into
 * memory as a whole.
 *
 * `source` is the path of a file, or its bytes. Null if the file has no sound that is supported here (zero bytes, an image with
 * another name, a WAV of compressed samples, a file without an audio track, one with impossible times). Rejects only if the file
 * cannot be opened or read.
 */
export async function audioSeconds(source: string | Uint8Array): Promise<number | null> {
  return withByteSource(source, async (bytes) => {
    // A tag in front usually means MP3, but as in decoders, the content after it decides.
    let start = 0
    for (let tags = 0; tags < MAX_TAGS; tags++) start += tagBytes(await bytes.read(start, 10), 0)
    const seconds = await measureSeconds(sliceFrom(bytes, start), start === 0 ? source : null)
    return seconds !== null && Number.isFinite(seconds) && seconds > 0 ? seconds : null
  })
}
