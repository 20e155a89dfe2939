import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { MkvOutputFormat, Mp4OutputFormat, OggOutputFormat, WebMOutputFormat } from 'mediabunny'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adtsOf, flacOf, mp3Of, silenceOf, wavOf, withId3Tag, withXingHeader } from './audio/testing.ts'
import { audioSeconds } from './audio-length.ts'

const AAC = 1024 / 48_000
const ogg = (packets = 250) => silenceOf(new OggOutputFormat(), 'opus', packets)
const webm = (packets = 250) => silenceOf(new WebMOutputFormat(), 'opus', packets)
const fast = (packets = 5000) => silenceOf(new Mp4OutputFormat({ fastStart: 'in-memory' }), 'aac', packets)

/** Replaces the first 32-bit number `from` within 64 bytes of `name` with `to`, to make a header lie. */
function forgeHeader(file: Buffer, from: number, to: number, name: string): Buffer {
  const at = file.indexOf(name, 0, 'latin1')
  const found = file.indexOf(Buffer.from([(from >>> 24) & 255, (from >>> 16) & 255, (from >>> 8) & 255, from & 255]), at)
  expect(at >= 0 && found > at && found < at + 64).toBe(true)
  const forged = Buffer.from(file)
  forged.writeUInt32BE(to, found)
  return forged
}

const CASES: [name: string, seconds: number | null, make: () => Buffer | Promise<Buffer>][] = [
  ['wav', 3, () => wavOf(3)],
  ['wav that claims a second of a hundred', 100, () => wavOf(100, { claims: 16_000 })],
  ['wav that claims more than there is', 3, () => wavOf(3, { claims: 16_000_000 })],
  ['wav written as a stream', 3, () => wavOf(3, { claims: 0xffff_ffff })],
  ['wav that claims nothing', 3, () => wavOf(3, { claims: 0 })],
  ['wav cut off', 1.24725, () => wavOf(3).subarray(0, 20_000)],
  ['wav with a list after its data', 3, () => Buffer.concat([wavOf(3), Buffer.from('LIST\x04\0\0\0abcd')])],
  ['wav with two chunks of data', 6, () => Buffer.concat([wavOf(3), wavOf(3).subarray(36)])],
  ['wav and another one behind it', 7, () => Buffer.concat([wavOf(3), wavOf(4)])],
  ['wav of a head alone', null, () => wavOf(0)],
  ['wav of compressed samples', null, () => Buffer.from(wavOf(3).fill(2, 20, 21))],
  ['wav of a rate of zero', null, () => Buffer.from(wavOf(3).fill(0, 24, 28))],
  ['mp3', 9, () => mp3Of(250)],
  ['mp3 cut off', 4.968, () => mp3Of(250).subarray(0, 20_000)],
  ['mp3 that claims one frame', 8.964, () => withXingHeader(mp3Of(250), 1)],
  ['mp3 that claims a million frames', 8.964, () => withXingHeader(mp3Of(250), 1_000_000)],
  ['mp3 behind a tag with a cover', 9, () => withId3Tag(mp3Of(250), 300_000)],
  [
    'mp3 joined, a tag and noise between',
    7.2,
    () => Buffer.concat([mp3Of(100), withId3Tag(mp3Of(0), 500), Buffer.alloc(300, 1), mp3Of(100)]),
  ],
  ['mp3 of several windows', 180, () => mp3Of(5000)],
  ['aac alone', 100 * AAC, () => adtsOf(100)],
  ['ogg opus', 5, () => ogg()],
  ['ogg opus cut off', 2.5, async () => (await ogg()).subarray(0, -375)],
  ['ogg opus chained', 10, async () => Buffer.concat([await ogg(), await ogg()])],
  ['ogg opus whose positions say nothing', 5, async () => withoutPositions(await ogg())],
  ['webm', 5, () => webm()],
  ['webm as a browser records it', 5, () => silenceOf(new WebMOutputFormat({ appendOnly: true }), 'opus', 250)],
  ['matroska', 5, () => silenceOf(new MkvOutputFormat(), 'opus', 250)],
  ['webm cut off', 2.36, async () => (await webm()).subarray(0, 1720)],
  ['m4a', 250 * AAC, () => silenceOf(new Mp4OutputFormat(), 'aac', 250)],
  ['m4a in fragments', 250 * AAC, () => silenceOf(new Mp4OutputFormat({ fastStart: 'fragmented' }), 'aac', 250)],
  ['m4a cut off, its head in front', 2500 * AAC, async () => (await fast()).subarray(0, -2500 * 4)],
  ['m4a whose head claims an hour', 250 * AAC, async () => forgeHeader(await fast(250), 250 * 1024, 3600 * 48_000, 'mdhd')],
  ['m4a whose head claims a blink', 250 * AAC, async () => forgeHeader(await fast(250), 250 * 1024, 1024, 'mdhd')],
  ['m4a whose times lie', null, async () => forgeHeader(await fast(250), 1024, 10, 'stts')],
  ['flac', 100 * 0.512, () => flacOf(100)],
  ['flac that claims a second', 100 * 0.512, () => flacOf(100, 8000)],
  ['flac that claims nothing', 100 * 0.512, () => flacOf(100, 0)],
  ['flac cut off', 24 * 0.512, () => flacOf(100).subarray(0, 42 + 24 * 4105)],
  [
    'flac that starts over again and again',
    118 * 0.512,
    () => Buffer.concat([flacOf(100), ...Array<Buffer>(9).fill(flacOf(2).subarray(42))]),
  ],
  ['zero bytes', null, () => Buffer.alloc(0)],
  ['one byte', null, () => Buffer.from([0xff])],
  ['zeros', null, () => Buffer.alloc(300_000)],
  ['ones', null, () => Buffer.alloc(300_000, 0xff)],
  ['text', null, () => Buffer.from('Not a sound. '.repeat(20_000))],
  ['an MP4 cut off in its head', null, async () => (await silenceOf(new Mp4OutputFormat(), 'aac', 250)).subarray(0, 1333)],
  ['a WebM head alone', null, async () => (await webm()).subarray(0, 60)],
  ['an Ogg head alone', null, async () => (await ogg()).subarray(0, 60)],
]

function withoutPositions(file: Buffer): Buffer {
  const forged = Buffer.from(file)
  for (let at = 0; at >= 0; at = forged.indexOf('OggS', at + 1)) forged.writeBigInt64LE(1n, at + 6)
  return forged
}

describe('audioSeconds', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-audio-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(CASES)('measures %s', async (name, seconds, make) => {
    const bytes = await make()
    const path = join(folder, name.replaceAll(' ', '-'))
    await writeFile(path, bytes)
    for (const found of [await audioSeconds(path), await audioSeconds(bytes)]) {
      if (seconds === null) expect(found).toBeNull()
      // A time in a WebM file is a whole millisecond, and the end of a truncated file is exact to one packet.
      else expect(Math.abs((found ?? 0) - seconds)).toBeLessThan(0.011)
    }
  })

  it('rejects where there is no file', async () => {
    await expect(audioSeconds(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('never throws, and never ends up beside a number, whatever is damaged', async () => {
    const files = await Promise.all([wavOf(1), mp3Of(50), adtsOf(50), flacOf(4), ogg(50), webm(50), fast(50), fast(50)])
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        damage,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (file, changes, keep) => {
          const damaged = Buffer.from(file.subarray(0, Math.ceil(file.length * Math.max(keep, 0.3))))
          for (const [at, value] of changes) damaged[at % Math.min(damaged.length, 400)] = value
          const seconds = await audioSeconds(damaged)
          expect(seconds === null || (seconds > 0 && Number.isFinite(seconds))).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })
})
