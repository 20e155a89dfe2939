import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny'
import { describe, expect, it } from 'vitest'
import { renderVideo } from './render-video.ts'

/** Reads a video with an independent MP4 reader. */
async function read(bytes: Uint8Array) {
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4] })
  const track = await input.getPrimaryVideoTrack()
  if (!track) throw new Error('there is no video in it')
  const packets: { key: boolean; bytes: number }[] = []
  for await (const packet of new EncodedPacketSink(track).packets())
    packets.push({ key: packet.type === 'key', bytes: packet.data.byteLength })
  return {
    seconds: await input.computeDuration(),
    size: [await track.getDisplayWidth(), await track.getDisplayHeight()],
    codec: await track.getCodec(),
    packets,
  }
}

describe('renderVideo', () => {
  it.each([
    [5, false],
    [10, true],
    [15, false],
    [20, true],
  ])('lasts exactly %i s and lies as it was asked to', async (seconds, landscape) => {
    const video = await read(await renderVideo({ prompt: 'A lighthouse', seconds, landscape }))
    expect(video).toMatchObject({ seconds, size: landscape ? [640, 360] : [360, 640], codec: 'avc' })
  })

  it('writes one picture whole and of the others what changed', async () => {
    const bytes = await renderVideo({ prompt: 'A lighthouse', seconds: 5, landscape: true })
    const { packets } = await read(bytes)
    expect(packets).toHaveLength(25)
    expect(packets.map(({ key }) => key)).toEqual([true, ...Array.from({ length: 24 }, () => false)])
    for (const packet of packets.slice(1)) {
      expect(packet.bytes).toBeGreaterThan(384)
      expect(packet.bytes).toBeLessThan(20_000)
    }
    expect(bytes.byteLength).toBeLessThan(1_000_000)
  })

  it('is the same for the same order, and another one for another prompt', async () => {
    const order = { prompt: 'A lighthouse', seconds: 5, landscape: false }
    const mdat = async (prompt: string) => (await read(await renderVideo({ ...order, prompt }))).packets.map(({ bytes }) => bytes)
    expect(await mdat('A lighthouse')).toEqual(await mdat('A lighthouse'))
    const whole = async (prompt: string) => Buffer.from(await renderVideo({ ...order, prompt })).subarray(-300_000, -100_000)
    expect((await whole('A lighthouse')).equals(await whole('A desert'))).toBe(false)
  })
})
