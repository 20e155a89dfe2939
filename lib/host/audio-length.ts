import { type Bytes, withBytes } from './audio/bytes.ts'
import { flacSeconds } from './audio/flac.ts'
import { frameSeconds, tagBytes } from './audio/frames.ts'
import { mp4Seconds } from './audio/mp4.ts'
import { readAdts, readMpeg } from './audio/mpeg.ts'
import { oggSeconds } from './audio/ogg.ts'
import { wavSeconds } from './audio/wav.ts'
import { webmSeconds } from './audio/webm.ts'

/** What a file is by its first bytes, as far as it matters here. */
function measure(bytes: Bytes, head: Buffer, source: string | Uint8Array): Promise<number | null> {
  const starts = (name: string, at = 0) => head.toString('latin1', at, at + name.length) === name
  if (starts('RIFF') && starts('WAVE', 8)) return wavSeconds(bytes)
  if (starts('OggS')) return oggSeconds(bytes)
  if (starts('fLaC')) return flacSeconds(bytes)
  if (starts('\x1aE\xdf\xa3')) return webmSeconds(bytes)
  if (['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide'].some((box) => starts(box, 4))) {
    return mp4Seconds(source)
  }
  return readAdts(head, 0) ? frameSeconds(bytes, readAdts) : frameSeconds(bytes, readMpeg)
}

/**
 * How long the sound of a file is, in seconds: WAV (PCM, float, A-law, mu-law), MP3 and MP2, AAC, MP4 and M4A, QuickTime,
 * WebM and Matroska, FLAC, and Ogg with Opus, Vorbis, FLAC or Speex. This is what is billed, so it is measured from the sound
 * itself wherever a header may lie or the file is cut off, and never read into memory whole.
 *
 * `source` is the path of a file, or its bytes. Null where there is no sound in it that is known here (zero bytes, a picture
 * by another name, a WAV of compressed samples, a file without an audio track, one whose times cannot be). Rejects only where
 * the file cannot be opened or read.
 */
export async function audioSeconds(source: string | Uint8Array): Promise<number | null> {
  return withBytes(source, async (bytes) => {
    const start = tagBytes(await bytes.read(0, 10), 0)
    // A tag in front says MP3 most often; what comes after it decides, as decoders have it.
    const seconds = await measure(bytes, await bytes.read(start, 12), source)
    return seconds !== null && Number.isFinite(seconds) && seconds > 0 ? seconds : null
  })
}
