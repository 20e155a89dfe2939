import type { EncodedPacketSink, InputAudioTrack } from 'mediabunny'
import type { ByteSource } from './bytes.ts'
import { type CountedTrack, countMp4 } from './mp4-count.ts'

/** The precision with which the end of a truncated file is found. */
const PRECISION_SECONDS = 0.005
/** Times may fall short of the sound in the packets by this much, which is at the ends and not heard. */
const END_TOLERANCE_SECONDS = 0.25
/** Packets may be closer together than their sound is long, down to this factor. Lost and joined packets cause that. */
const MIN_STEP = 0.75

/** Seconds from the track's start to the end of its last packet that the file really contains. */
async function endOf(track: InputAudioTrack, sink: EncodedPacketSink): Promise<number> {
  const claimed = await track.computeDuration()
  if (await sink.getPacket(Number.POSITIVE_INFINITY)) return claimed
  let [low, high] = [0, claimed]
  let end = 0
  // A damaged time can have any size, including infinity.
  for (let step = 0; step < 64 && high - low > PRECISION_SECONDS; step++) {
    const middle = (low + high) / 2
    const packet = await sink.getPacket(middle)
    if (packet) end = Math.max(end, packet.timestamp + packet.duration)
    if (packet) low = middle
    else high = middle
  }
  return end
}

/** Seconds of a track whose packets have `counted` seconds. Its times count if they leave room for what is in the packets. */
async function trackSeconds(track: InputAudioTrack, sink: EncodedPacketSink, sound: CountedTrack): Promise<number | null> {
  const counted = sound.seconds
  // The library knows times only of the samples outside of fragments.
  if (sound.isMixed) return counted
  const start = await track.getFirstTimestamp()
  const end = await endOf(track, sink)
  if (end - start < counted * MIN_STEP) return null
  const timelineSeconds = Math.max(0, end - Math.max(0, start))
  return timelineSeconds > counted - END_TOLERANCE_SECONDS ? timelineSeconds : counted
}

/**
 * Seconds of the longest audio track of an MP4 or QuickTime file, up to the end of its last packet that the file really contains.
 * Null if there is no audio, if the file cannot be read, or if its times are impossible for its packets.
 */
export async function mp4Seconds(bytes: ByteSource, source: string | Uint8Array): Promise<number | null> {
  const counted = await countMp4(bytes)
  if (!counted) return null
  const { Input, FilePathSource, BufferSource, EncodedPacketSink, MP4, QTFF } = await import('mediabunny')
  const from = typeof source === 'string' ? new FilePathSource(source) : new BufferSource(source)
  const input = new Input({ source: from, formats: [MP4, QTFF] })
  try {
    const tracks = await input.getAudioTracks()
    let longest: number | null = null
    for (const track of tracks) {
      const sound = counted.get(track.id)
      const seconds = sound === undefined ? null : await trackSeconds(track, new EncodedPacketSink(track), sound)
      if (seconds === null) return null
      longest = Math.max(longest ?? 0, seconds)
    }
    return tracks.length === counted.size ? longest : null
  } catch {
    // On a damaged file, the library throws errors of any kind, including failed assertions.
    return null
  } finally {
    input.dispose()
  }
}
