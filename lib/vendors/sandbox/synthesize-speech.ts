import { roll } from './seed.ts'

export const SPEECH_RATE = 24_000
const CHARACTER_MS = 62
const PAUSE_MS = 180
const MAX_SYLLABLE_MS = 420
/** How many syllables are made before the event loop gets a turn. */
const SYLLABLES_PER_TURN = 12

/** The two lowest formants of each vowel, in hertz (Peterson and Barney, 1952, rounded). */
const VOWELS: Readonly<Record<string, readonly [number, number]>> = {
  a: [730, 1090],
  e: [530, 1840],
  i: [270, 2290],
  o: [570, 840],
  u: [300, 870],
  y: [300, 2000],
}

export interface Speech {
  /** One channel, 16 bits. */
  samples: Int16Array
  sampleRate: number
}

interface Syllable {
  ms: number
  /** Null for a pause. */
  formants: readonly [number, number] | null
  /** Its pitch relative to that of the voice, as a factor. */
  tone: number
}

/** The syllables and pauses of a text, as long as its characters take to say. */
function syllablesOf(text: string, speed: number): Syllable[] {
  const pieces = text.match(/[\p{L}\p{N}]+|[.,;:!?。，！？…\n]+/gu) ?? []
  return pieces.flatMap((piece): Syllable[] => {
    if (!/[\p{L}\p{N}]/u.test(piece)) return [{ ms: PAUSE_MS / speed, formants: null, tone: 1 }]
    const parts = piece.toLowerCase().match(/[^aeiouy]*[aeiouy]+(?:[^aeiouy]+$)?|.{1,3}/gsu) ?? [piece]
    return parts.map((part) => {
      const vowel = /[aeiouy]/.exec(part)?.[0] ?? 'aeiou'.charAt(roll(part, 'vowel') % 5)
      const ms = Math.min(MAX_SYLLABLE_MS, Math.max(70, [...part].length * CHARACTER_MS)) / speed
      return { ms, formants: VOWELS[vowel] ?? [500, 1500], tone: 0.92 + (roll(part, 'tone') % 100) / 500 }
    })
  })
}

/** Writes one syllable from `at` on: a buzz through two resonances, soft at both ends. */
function writeSyllable(samples: Int16Array, at: number, count: number, { formants, tone }: Syllable, hertz: number): void {
  if (formants === null) return
  const step = (2 * Math.PI) / SPEECH_RATE
  const pitch = hertz * tone
  const [first, second] = formants
  const rampSamples = Math.min(count / 2, SPEECH_RATE * 0.02)
  for (let n = 0; n < count; n++) {
    const rise = Math.min(1, n / rampSamples, (count - n) / rampSamples)
    const buzz = Math.sin(pitch * step * n) + 0.5 * Math.sin(2 * pitch * step * n)
    const mouth = 0.6 * Math.sin(first * step * n) + 0.35 * Math.sin(second * step * n)
    samples[at + n] = Math.round(9000 * rise * (0.45 * buzz + mouth * (0.6 + 0.4 * buzz)))
  }
}

/**
 * Speaks a text in tones, one per syllable. No words can be understood, but the speech lasts as long as the words would, and each
 * voice has its own pitch. The same text, voice and speed (1 is normal) get the same sound.
 */
export async function synthesizeSpeech(input: { text: string; voice: string; speed?: number }): Promise<Speech> {
  const { text, voice, speed = 1 } = input
  const hertz = 95 + (roll(voice, 'pitch') % 130)
  const syllables = syllablesOf(text, speed)
  const counts = syllables.map(({ ms }) => Math.round((ms / 1000) * SPEECH_RATE))
  // A text without syllables becomes a short silence.
  const total = Math.max(
    Math.round(SPEECH_RATE * 0.2),
    counts.reduce((sum, count) => sum + count, 0),
  )
  const samples = new Int16Array(total)
  let at = 0
  for (const [index, syllable] of syllables.entries()) {
    writeSyllable(samples, at, counts[index] ?? 0, syllable, hertz)
    at += counts[index] ?? 0
    if (index % SYLLABLES_PER_TURN === SYLLABLES_PER_TURN - 1) await new Promise(setImmediate)
  }
  return { samples, sampleRate: SPEECH_RATE }
}
