import { stem, weightOf, wordsOf } from './embed-words.ts'

/** The same length as that of OpenAI's small embedding model. */
export const DEFAULT_DIMENSIONS = 1536
export const MAX_DIMENSIONS = 3072

/** The weight of each kind of feature relative to the words themselves. */
const WEIGHT = { word: 1, pair: 0.5, letters: 0.6, mark: 0.02 }
/** How many places each feature is spread over, so that similar texts stay close with few dimensions too. */
const SPREAD = 4
const MIN_PAIR_WEIGHT = 0.5
const LETTERS = [3, 4]
/** Scripts without spaces. In these, a word is a single letter, and a pair is two in a row. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Adds a feature at the places and with the signs that its hash determines. */
function add(vector: Float64Array, feature: string, weight: number): void {
  let hash = hashOf(feature)
  for (let place = 0; place < SPREAD; place++) {
    const at = (hash >>> 1) % vector.length
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? weight : -weight)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    hash = (hash ^ (hash >>> 12)) >>> 0
  }
}

/** The words of a text. In scripts without spaces, where a run of letters is a sentence, the single letters. */
function unitsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => (UNSPACED.test(word) ? [...word] : [word]))
}

/** Counts each feature, so that a word that occurs ten times does not count ten times as much. */
function countFeatures(text: string): Map<string, number> {
  const counts = new Map<string, { times: number; weight: number }>()
  const count = (feature: string, weight: number) => {
    const known = counts.get(feature)
    if (known) known.times++
    else counts.set(feature, { times: 1, weight })
  }
  let previousRoot = ''
  for (const unit of unitsOf(text)) {
    const weight = weightOf(unit)
    const root = stem(unit)
    count(`w ${root}`, WEIGHT.word * weight)
    // Pairs reflect the order of words. Words of little weight between two others are skipped.
    if (previousRoot && weight >= MIN_PAIR_WEIGHT) count(`p ${previousRoot} ${root}`, WEIGHT.pair * weight)
    if (weight >= MIN_PAIR_WEIGHT) previousRoot = root
    const padded = `<${root}>`
    for (const size of LETTERS) {
      for (let at = 0; at + size <= padded.length; at++) {
        count(`l ${padded.slice(at, at + size)}`, (WEIGHT.letters * weight) / Math.sqrt(padded.length))
      }
    }
  }
  const weighted = new Map<string, number>()
  for (const [feature, { times, weight }] of counts) weighted.set(feature, weight * (1 + Math.log(times)))
  return weighted
}

/**
 * Makes a vector of unit length for a text, always the same one. Its cosine with the vector of another text says how much they
 * have in common: words, regardless of endings and accents, pairs of words, and runs of letters, through which related words of
 * other languages match. Texts without words differ by their characters. `dimensions` is 1 to 3072. Throws RangeError for any
 * other number.
 */
export function embed(text: string, dimensions: number = DEFAULT_DIMENSIONS): Float32Array {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    throw new RangeError(`dimensions must be a whole number from 1 to ${MAX_DIMENSIONS}`)
  }
  const vector = new Float64Array(dimensions)
  for (const [feature, weight] of countFeatures(text)) add(vector, feature, weight)
  // A trace of the whole text, so that "!" and "?" get different vectors, and no vector is zero.
  add(vector, `t ${text}`, WEIGHT.mark)
  let length = Math.hypot(...vector)
  if (length === 0) {
    vector[0] = 1
    length = 1
  }
  return Float32Array.from(vector, (value) => value / length)
}
