import type { EncodedPacketSink, InputAudioTrack } from 'mediabunny'
import { opusSamples } from './ogg.ts'

/** How exactly the end of a file that was cut off is found. */
const CUT_SECONDS = 0.005
const PROBES = 5
const PROBE_PACKETS = 40
/** Packets may be nearer to each other than their sound is long by this much, which is what lost and joined packets do. */
const LEAST_STEP = 0.75

/** Samples of a packet by its codec, at the track's rate; null where that cannot be told. */
function soundOf(codec: string | null, rate: number, data: Uint8Array): number | null {
  if (codec === 'aac') return 1024 / rate
  if (codec === 'opus' && data.length > 0) return opusSamples(data[0] ?? 0, data[1] ?? 0) / 48_000
  return null
}

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

/** Whether the times of the packets leave room for what is in them, looked at in a few places. */
async function isPlausible(track: InputAudioTrack, sink: EncodedPacketSink, start: number, end: number): Promise<boolean> {
  const [codec, rate] = await Promise.all([track.getCodec(), track.getSampleRate()])
  for (let probe = 0; probe < PROBES; probe++) {
    let packet = await sink.getPacket(start + ((end - start) * probe) / PROBES)
    const from = packet?.timestamp ?? 0
    let sound = 0
    let until = from
    for (let count = 0; packet && count < PROBE_PACKETS; count++) {
      const seconds = soundOf(codec, rate, packet.data)
      if (seconds === null) return true
      until = packet.timestamp
      packet = await sink.getNextPacket(packet)
      if (packet) sound += seconds
      if (packet) until = packet.timestamp
    }
    if (until - from < sound * LEAST_STEP) return false
  }
  return true
}

async function trackSeconds(track: InputAudioTrack, sink: EncodedPacketSink): Promise<number | null> {
  const start = Math.max(0, await track.getFirstTimestamp())
  const end = await endOf(track, sink)
  if (!(await isPlausible(track, sink, start, end))) return null
  return Math.max(0, end - start)
}

/**
 * Seconds of the longest audio track of an MP4 or QuickTime file, to the end of its last packet that is
 * really there. Null where there is no audio, where the file cannot be read, and where the times in it are no times that its
 * packets can have.
 */
export async function mp4Seconds(source: string | Uint8Array): Promise<number | null> {
  const { Input, FilePathSource, BufferSource, EncodedPacketSink, MP4, QTFF } = await import('mediabunny')
  const from = typeof source === 'string' ? new FilePathSource(source) : new BufferSource(source)
  const input = new Input({ source: from, formats: [MP4, QTFF] })
  try {
    let longest: number | null = null
    for (const track of await input.getAudioTracks()) {
      const seconds = await trackSeconds(track, new EncodedPacketSink(track))
      if (seconds === null) return null
      longest = Math.max(longest ?? 0, seconds)
    }
    return longest
  } catch {
    // What the library makes of a damaged file is an error of any kind, failed assertions among them.
    return null
  } finally {
    input.dispose()
  }
}
