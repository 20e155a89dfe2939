import { describe, expect, it } from 'vitest'
import { encodeMp3, encodePcm, encodeWav } from './encode-speech.ts'
import { type Speech, synthesizeSpeech } from './synthesize-speech.ts'

const speak = (text: string, voice = 'alloy', speed = 1) => synthesizeSpeech({ text, voice, speed })
const seconds = ({ samples, sampleRate }: Speech): number => samples.length / sampleRate

/** How often the wave crosses zero upward per second, which is about its pitch. */
const crossings = ({ samples, sampleRate }: Speech): number => {
  let count = 0
  for (let at = 1; at < samples.length; at++) if ((samples[at - 1] ?? 0) < 0 && (samples[at] ?? 0) >= 0) count++
  return (count / samples.length) * sampleRate
}

describe('synthesizeSpeech', () => {
  it('lasts about as long as the text takes to say: twice the text, twice the time; twice the speed, half of it', async () => {
    const text = 'The quick brown fox jumps over the lazy dog, and then it rests. '
    const once = seconds(await speak(text))
    expect(once).toBeGreaterThan(2)
    expect(once).toBeLessThan(8)
    expect(seconds(await speak(text + text))).toBeCloseTo(once * 2, 1)
    expect(seconds(await speak(text, 'alloy', 2))).toBeCloseTo(once / 2, 1)
  })

  it('can be heard, and never clips', async () => {
    const { samples } = await speak('Hello there')
    const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    expect(loudest).toBeGreaterThan(3000)
    expect(loudest).toBeLessThan(32_000)
  })

  it('has a voice of its own for each name, and is otherwise always the same', async () => {
    const [one, again, other] = [await speak('Hello', 'alloy'), await speak('Hello', 'alloy'), await speak('Hello', 'onyx')]
    expect(again.samples).toEqual(one.samples)
    expect(other.samples).not.toEqual(one.samples)
    expect(crossings(one)).toBeGreaterThan(50)
  })

  it.each([[''], ['   '], ['🙂'], ['你好，世界'], ['...'], ['x'.repeat(4096)]])(
    'speaks any text, however odd: %#',
    async (text) => {
      const spoken = seconds(await speak(text))
      expect(spoken).toBeGreaterThan(0.1)
      expect(spoken).toBeLessThan(400)
    },
  )
})

describe('what is spoken, as a file', () => {
  it('is a WAV whose header says what follows it', async () => {
    const speech = await speak('Hello')
    const wav = Buffer.from(encodeWav(speech))
    expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8)
    expect(wav.readUInt32LE(24)).toBe(24_000)
    expect(wav.readUInt32LE(40)).toBe(speech.samples.length * 2)
    expect(wav.readInt16LE(44 + 2000)).toBe(speech.samples[1000])
  })

  it('is bare samples as pcm', async () => {
    const speech = await speak('Hello')
    expect(Buffer.from(encodePcm(speech)).readInt16LE(2000)).toBe(speech.samples[1000])
  })

  it('is an MP3: frame after frame from the first byte on, as long as the speech', async () => {
    const speech = await speak('Hello, this is a sentence that lasts a little while.')
    const mp3 = Buffer.from(await encodeMp3(speech))
    let frames = 0
    // Version 2, layer III (ISO 13818-3): 24 kHz at 64 kbit/s, 576 samples in 192 bytes.
    for (let at = 0; at + 4 <= mp3.length; at += 192 + (((mp3[at + 2] ?? 0) >> 1) & 1)) {
      expect(mp3.readUInt16BE(at) & 0xffe0).toBe(0xffe0)
      frames++
    }
    expect((frames * 576) / 24_000).toBeCloseTo(seconds(speech), 0)
  })
})
