import { roll } from './seed.ts'

const WORDS =
  'the sandbox heard a recording and writes words that fit its length because it cannot listen to what was said here'.split(' ')
const WORD_SECONDS = 0.38
const SEGMENT_WORDS = 10

/** A word, and when it is spoken, in seconds. */
export interface TimedWord {
  word: string
  start: number
  end: number
}

export interface Segment {
  text: string
  start: number
  end: number
}

/** A transcript. Its segments follow each other without gaps, from 0 to the end of the recording. */
export interface Transcript {
  text: string
  seconds: number
  words: TimedWord[]
  segments: Segment[]
}

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000

/**
 * Makes up a transcript or translation of a recording of `seconds` seconds, with as many words as are spoken in that time. The
 * same `seed` gets the same words. It begins with the recording's name and says that it is made up.
 */
export function transcribe(input: { task: 'transcribe' | 'translate'; seconds: number; name: string; seed: string }): Transcript {
  const { task, seconds, seed } = input
  const count = Math.max(1, Math.round(seconds / WORD_SECONDS))
  const name = input.name.replace(/\s+/g, '-').slice(0, 60) || 'recording'
  const opening = ['Sandbox', task === 'translate' ? 'translation' : 'transcript', 'of', `${name}:`]
  const shift = roll(seed, 'words')
  const spokenWords = Array.from({ length: count }, (_, at) => opening[at] ?? WORDS[(shift + at) % WORDS.length] ?? '')
  const at = (index: number): number => round((seconds * index) / count)
  const words = spokenWords.map((word, index) => ({ word, start: at(index), end: at(index + 1) }))
  const segments: Segment[] = []
  for (let from = 0; from < count; from += SEGMENT_WORDS) {
    const to = Math.min(count, from + SEGMENT_WORDS)
    segments.push({ text: spokenWords.slice(from, to).join(' '), start: at(from), end: at(to) })
  }
  return { text: spokenWords.join(' '), seconds, words, segments }
}
