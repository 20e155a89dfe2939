import type { EncodedPacketSink, InputAudioTrack } from 'mediabunny'
import type { Bytes } from './bytes.ts'
import { type Counted, countMp4 } from './mp4-count.ts'

/** How exactly the end of a file that was cut off is found. */
const CUT_SECONDS = 0.005
/** Times may say less than the sound of the packets by this much: what is at its ends and not heard. */
const END_SECONDS = 0.25
/** Packets may be nearer to each other than their sound is long by this much, which is what lost and joined packets do. */
const LEAST_STEP = 0.75

/** Seconds from the track's start at which its last packet that is really there ends. */
async function endOf(track: InputAudioTrack, sink: EncodedPacketSink): Promise<number> {
  const claimed = await track.computeDuration()
  if (await sink.getPacket(Number.POSITIVE_INFINITY)) return claimed
  let [there, gone] = [0, claimed]
  let end = 0
  // A damaged time can be of any size, infinity too.
  for (let step = 0; step < 64 && gone - there > CUT_SECONDS; step++) {
    const middle = (there + gone) / 2
    const packet = await sink.getPacket(middle)
    if (packet) end = Math.max(end, packet.timestamp + packet.duration)
    if (packet) there = middle
    else gone = middle
  }
  return end
}

/** Seconds of a track whose packets have `counted`: as its times say, where they leave room for what is in the packets. */
async function trackSeconds(track: InputAudioTrack, sink: EncodedPacketSink, sound: Counted): Promise<number | null> {
  const counted = sound.seconds
  // The library has times of those that are not in fragments alone.
  if (sound.isMixed) return counted
  const start = await track.getFirstTimestamp()
  const end = await endOf(track, sink)
  if (end - start < counted * LEAST_STEP) return null
  const told = Math.max(0, end - Math.max(0, start))
  return told > counted - END_SECONDS ? told : counted
}

/**
 * Seconds of the longest audio track of an MP4 or QuickTime file, to the end of its last packet that is
 * really there. Null where there is no audio, where the file cannot be read, and where the times in it are no times that its
 * packets can have.
 */
export async function mp4Seconds(bytes: Bytes, source: string | Uint8Array): Promise<number | null> {
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
    // What the library makes of a damaged file is an error of any kind, failed assertions among them.
    return null
  } finally {
    input.dispose()
  }
}
