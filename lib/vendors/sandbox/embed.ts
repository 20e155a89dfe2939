import { stem, weightOf, wordsOf } from './embed-words.ts'

/** As long as OpenAI's small embedding model makes them. */
export const DEFAULT_DIMENSIONS = 1536
export const MOST_DIMENSIONS = 3072

/** How much each kind of feature counts against the words themselves. */
const WEIGHT = { word: 1, pair: 0.5, letters: 0.6, mark: 0.02 }
/** Places that each feature is spread over, so that few dimensions do not make strangers of neighbours. */
const SPREAD = 4
const LEAST_OF_PAIR = 0.5
const LETTERS = [3, 4]
/** Scripts without spaces: what counts as a word there is one letter, and two in a row. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Adds a feature at the places and with the signs that its hash says. */
function add(vector: Float64Array, feature: string, weight: number): void {
  let hash = hashOf(feature)
  for (let place = 0; place < SPREAD; place++) {
    const at = (hash >>> 1) % vector.length
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? weight : -weight)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    hash = (hash ^ (hash >>> 12)) >>> 0
  }
}

/** Pieces of words of other scripts, where a run of letters is a sentence. */
function unitsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => (UNSPACED.test(word) ? [...word] : [word]))
}

/** How often each thing is there, so that a word said ten times does not count ten times. */
function countFeatures(text: string): Map<string, number> {
  const counts = new Map<string, { times: number; weight: number }>()
  const count = (feature: string, weight: number) => {
    const known = counts.get(feature)
    if (known) known.times++
    else counts.set(feature, { times: 1, weight })
  }
  let before = ''
  for (const unit of unitsOf(text)) {
    const weight = weightOf(unit)
    const root = stem(unit)
    count(`w ${root}`, WEIGHT.word * weight)
    // The pairs are what tells one order of words from another; what stands between two words that count, does not.
    if (before && weight >= LEAST_OF_PAIR) count(`p ${before} ${root}`, WEIGHT.pair * weight)
    if (weight >= LEAST_OF_PAIR) before = root
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
 * A vector of unit length for a text, always the same one, whose cosine with another's says how much they have in common:
 * their words, whatever their endings and accents, the pairs of words, and runs of letters, through which kindred words of
 * other languages meet. Texts without words differ by their characters. `dimensions` is 1 to 3072; throws RangeError for any
 * other number.
 */
export function embed(text: string, dimensions: number = DEFAULT_DIMENSIONS): Float32Array {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MOST_DIMENSIONS) {
    throw new RangeError(`dimensions must be a whole number from 1 to ${MOST_DIMENSIONS}`)
  }
  const vector = new Float64Array(dimensions)
  for (const [feature, weight] of countFeatures(text)) add(vector, feature, weight)
  // A trace of every character, so that "!" and "?" are two texts, and so that none is nothing.
  add(vector, `t ${text}`, WEIGHT.mark)
  let length = Math.hypot(...vector)
  if (length === 0) {
    vector[0] = 1
    length = 1
  }
  return Float32Array.from(vector, (value) => value / length)
}
