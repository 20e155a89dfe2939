import { MkvOutputFormat, Mp4OutputFormat, OggOutputFormat, WebMOutputFormat } from 'mediabunny'
import { describe, expect, it } from 'vitest'
import { adtsOf, flacOf, mp3Of, silenceOf, wavHead, wavOf, withId3Tag } from './audio/testing.ts'
import { oggFlacOf, oggOf, oggPage, opusHeads, speexHeads, vorbisHeads } from './audio/testing-ogg.ts'
import { audioSeconds } from './audio-length.ts'

const AAC = 1024 / 48_000
const HOUR = 3600
const FLAC_FRAME = 4105
/** An Opus packet of 20 ms, and one of 2.5 ms. */
const OPUS = Buffer.from([0xf8, 0xff, 0xfe])
const SHORT_OPUS = Buffer.from([0xe0, 0xff, 0xfe])
const mkv = (packets: number) => silenceOf(new MkvOutputFormat(), 'aac', packets)
const m4a = (packets: number) => silenceOf(new Mp4OutputFormat({ fastStart: 'in-memory' }), 'aac', packets)
const many = <T>(count: number, item: T): T[] => Array<T>(count).fill(item)
const join = (...parts: (Buffer | Buffer[])[]): Buffer => Buffer.concat(parts.flat())

/** A copy of the file, changed by `change` at `offset` bytes after the start of `name`. */
function changed(file: Buffer, name: string | Buffer, offset: number, change: (at: number, file: Buffer) => void): Buffer {
  const copy = Buffer.from(file)
  const at = copy.indexOf(name)
  expect(at).toBeGreaterThan(-1)
  change(at + offset, copy)
  return copy
}

/** A Matroska element. */
const element = (id: string, ...content: Buffer[]): Buffer => {
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(content.reduce((sum, { length }) => sum + length, 0)) | (1n << 56n))
  return join(Buffer.from(id, 'hex'), size, content)
}
const byte = (...bytes: number[]) => Buffer.from(bytes)
const opusEntry = element(
  'ae',
  element('d7', byte(1)),
  element('83', byte(2)),
  element('86', Buffer.from('A_OPUS')),
  element('63a2', opusHeads()[0] ?? byte()),
)
const block = (flags: number, ...content: Buffer[]) => element('a3', byte(0x81, 0, 0, flags), ...content)
const cluster = (...blocks: Buffer[]) => element('1f43b675', element('e7', byte(0)), ...blocks)
const mkvOf = (...content: Buffer[]) =>
  join(element('1a45dfa3', element('4282', Buffer.from('webm'))), element('18538067', element('1654ae6b', opusEntry), ...content))

const vorbis = (modes: boolean[], packets: Buffer[], position: (index: number) => number) =>
  oggOf(vorbisHeads(modes), packets, position)
/** 250 packets, every other one long: 249 times a quarter of 256 + 2048 samples. */
const mixed = Array.from({ length: 250 }, (_, at) => byte((at % 2) << 1, 0))
const MIXED = (249 * 576) / 8000

const OGG: [name: string, seconds: number | null, make: () => Buffer | Promise<Buffer>][] = [
  ['speex that tells its length', 60, () => oggOf(speexHeads(1), many(3000, Buffer.alloc(20)), (at) => (at + 1) * 160)],
  ['speex whose positions are all alike', 60, () => oggOf(speexHeads(1), many(3000, Buffer.alloc(20)), () => HOUR * 8000)],
  ['speex of ten frames a packet', 60, () => oggOf(speexHeads(10), many(300, Buffer.alloc(200)), () => HOUR * 8000)],
  ['vorbis that tells its length', MIXED, () => vorbis([false, true], mixed, (at) => at * 576)],
  ['vorbis that ends in a packet', MIXED - 0.1, () => vorbis([false, true], mixed, (at) => at * 576 - (at === 249 ? 800 : 0))],
  ['vorbis whose positions are all alike', MIXED, () => vorbis([false, true], mixed, () => HOUR * 8000)],
  ['vorbis whose modes are the other way round', MIXED, () => vorbis([true, false], mixed, () => HOUR * 8000)],
  ['vorbis without a setup', (249 * 1024) / 8000, () => oggOf(vorbisHeads([true]).slice(0, 2), mixed, () => HOUR * 8000)],
  ['vorbis that starts in an hour', MIXED, () => vorbis([false, true], mixed, (at) => HOUR * 8000 + at * 576)],
  ['vorbis with a gap', 20, () => vorbis([false, true], mixed, (at) => at * 576 + (at > 100 ? 20 * 8000 - 249 * 576 : 0))],
  ['flac in ogg', 51.2, () => oggFlacOf(flacOf(100), FLAC_FRAME, (at) => (at + 1) * 4096)],
  ['flac in ogg whose positions are all alike', 51.2, () => oggFlacOf(flacOf(100), FLAC_FRAME, () => HOUR * 8000)],
  ['flac in ogg, ten frames a packet', 51.2, () => oggFlacOf(flacOf(100), FLAC_FRAME * 10, () => HOUR * 8000)],
  [
    'opus of streams that say that nothing of them is heard',
    50 * (7 / 8) - 1.5,
    () =>
      join(
        many(
          50,
          oggOf(opusHeads(65_535), many(50, OPUS), () => 1),
        ),
      ),
  ],
  [
    'opus whose packets never end',
    5.625,
    () =>
      join(
        oggOf(opusHeads(), [], () => 0),
        many(250, oggPage({ packets: [OPUS, Buffer.alloc(255, 0xe0)], open: true })),
      ),
  ],
  [
    'opus whose pages all say that they start',
    5,
    () =>
      join(
        oggOf(opusHeads(), [], () => 0),
        many(250, oggPage({ packets: [OPUS], flags: 2 })),
      ),
  ],
  [
    'opus and another stream that does not say that it starts',
    6,
    () =>
      join(
        oggOf(opusHeads(), many(50, OPUS), () => 1),
        [...opusHeads(), ...many(250, OPUS)].map((packet) => oggPage({ packets: [packet], serial: 2 })),
      ),
  ],
  [
    'opus that a page of nothing covers',
    5,
    () =>
      join(
        oggOf(opusHeads(), [], () => 0),
        oggPage({ packets: [Buffer.alloc(50_000)], serial: 9 }).subarray(0, 250),
        many(250, oggPage({ packets: [OPUS] })),
      ),
  ],
  [
    'pages that cover each other again and again',
    null,
    () =>
      join(
        oggOf(opusHeads(), [], () => 0),
        many(2000, oggPage({ packets: [Buffer.alloc(65_000)] }).subarray(0, 282)),
      ),
  ],
  [
    'ogg with sound that is not known',
    null,
    async () =>
      join(
        oggPage({ packets: [Buffer.from('CELT    ')], flags: 2, serial: 7 }),
        await silenceOf(new OggOutputFormat(), 'opus', 50),
      ),
  ],
]

const WEBM: typeof OGG = [
  [
    'matroska whose scale and rate are no ones',
    48_000 * AAC,
    async () => {
      const scaled = changed(await mkv(48_000), byte(0x2a, 0xd7, 0xb1), 4, (at, file) =>
        file.writeUIntBE(1, at, (file[at - 1] ?? 0) & 0x7f),
      )
      return changed(scaled, byte(0xb5, 0x84), 2, (at, file) => file.writeFloatBE(4.8e9, at))
    },
  ],
  [
    'matroska of several packets a block',
    5,
    () => mkvOf(cluster(block(0, SHORT_OPUS)), cluster(...many(50, block(4, byte(4), ...many(5, OPUS))))),
  ],
  ['the same, laced as Xiph has it', 5, () => mkvOf(cluster(...many(125, block(2, byte(1, 3), OPUS, OPUS))))],
  [
    'the same, laced as EBML has it',
    5,
    () => mkvOf(cluster(...many(50, block(6, byte(4, 0x83, 0xbf, 0xbf, 0xbf), ...many(5, OPUS))))),
  ],
  [
    'matroska with its tracks once more at its end',
    5,
    () => mkvOf(cluster(...many(250, block(0, OPUS))), element('1654ae6b', opusEntry)),
  ],
  [
    'matroska with an element that goes on beyond its end',
    5,
    () => mkvOf(cluster(block(0, OPUS)), byte(0xec, 0x08, 0xff, 0xff, 0xff, 0xff), cluster(...many(249, block(0, OPUS)))),
  ],
  [
    'matroska with clusters in what is empty',
    5,
    () => mkvOf(element('1f43b675', byte(0xec, 0x4f, 0xff)), cluster(...many(250, block(0, OPUS)))),
  ],
  [
    'matroska of a codec that is not known',
    null,
    async () => changed(await silenceOf(new WebMOutputFormat(), 'opus', 50), 'A_OPUS', 0, (at, file) => file.write('A_QUAX', at)),
  ],
]

const MP4: typeof OGG = [
  [
    'm4a whose times are of its first packets alone',
    null,
    async () => changed(await m4a(5000), 'stts', 4, (at, file) => file.writeUInt32BE(10, at + 8)),
  ],
  [
    'm4a of a scale that makes it a blink',
    null,
    async () => changed(await m4a(5000), 'mdhd', 16, (at, file) => file.writeUInt32BE(4_800_000, at)),
  ],
  ['m4a with its sizes there twice', null, async () => changed(await m4a(250), 'stsc', 0, (at, file) => file.write('stsz', at))],
  [
    'm4a of a codec that is not known',
    null,
    async () => changed(await m4a(250), 'mp4a', 0, (at, file) => file.write('quax', at)),
  ],
]

const junk = (bytes: number) => join(mp3Of(6), many(244, join(mp3Of(1), Buffer.alloc(bytes))))
const withRate = (file: Buffer, rate: number) =>
  changed(file, 'fLaC', 18, (at, copy) => copy.writeUIntBE((rate << 4) | ((copy[at + 2] ?? 0) & 15), at, 3))
const law = (bits: number) =>
  changed(wavOf(3), 'fmt ', 8, (at, file) => {
    file.writeUInt16LE(7, at)
    file.writeUInt16LE(bits, at + 14)
  })

const FRAMES: typeof OGG = [
  ['mp3 with a byte between its frames', 9, () => junk(1)],
  ['mp3 with more between its frames', 9, () => junk(1000)],
  [
    'mp3 that a tag in its middle covers',
    9,
    () => join(mp3Of(6), Buffer.from('ID3\x03\0\0\x7f\x7f\x7f\x7f', 'latin1'), mp3Of(244)),
  ],
  ['mp3 that a tag covers whose size is none', 9, () => join(Buffer.from('ID3\x03\0\0\0\0\xff\x7f', 'latin1'), mp3Of(250))],
  ['mp3 behind a few frames of aac', 9, () => join(adtsOf(3), mp3Of(250))],
  ['flac behind two tags', 51.2, () => withId3Tag(withId3Tag(flacOf(100), 500), 500)],
  ['flac whose head has another rate than its frames', 51.2, () => withRate(flacOf(100), 655_350)],
  ['wav of mu-law that claims four bytes a sample', 6, () => law(32)],
  ['wav of mu-law that claims thousands', 6, () => law(65_528)],
  [
    'wav of two formats',
    null,
    () => changed(join(wavOf(3).subarray(0, 36), wavOf(3).subarray(12)), 'fmt ', 8, (at, file) => file.writeUInt16LE(0x11, at)),
  ],
  ['wav with mp3 where its samples should be', 9, () => join(wavHead(mp3Of(250).length, 192_000), mp3Of(250))],
  ['wav with DTS where its samples should be', null, () => join(wavOf(1), byte(0x7f, 0xfe, 0x80, 0x01), Buffer.alloc(1000))],
]

describe('no file is measured much shorter than it is played', () => {
  it.each([...OGG, ...WEBM, ...MP4, ...FRAMES])('%s', async (_, seconds, make) => {
    const found = await audioSeconds(await make())
    if (seconds === null) expect(found).toBeNull()
    else expect(found).toBeCloseTo(seconds, 1)
  })
})
