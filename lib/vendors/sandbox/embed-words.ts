/** Words that say little about the topic of a text, in the most frequent languages. */
const STOP_WORDS = new Set(
  `a about after all also am an and any are as at be because been before being but by can could did do does doing down for
  from had has have having he her here hers him his how i if in into is it its just me more most my no not now of off on once
  only or other our out over own same she should so some such than that the their them then there these they this those through
  to too under until up very was we were what when where which while who whom why will with would you your
  der die das den dem des ein eine einen einem einer und oder ist sind war nicht mit von zu im in auf für als auch an es
  le la les un une des du de et est sont dans sur pour pas que qui ce cette avec au aux il elle
  el los las una unos unas y es son en por para con no se su al lo`.split(/\s+/),
)
const STOP_WEIGHT = 0.08

/** The endings of English words, longest first, and what replaces them. */
const ENDINGS: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['fulness', 'ful'],
  ['ations', 'ate'],
  ['ation', 'ate'],
  ['ments', ''],
  ['ness', ''],
  ['ment', ''],
  ['ies', 'y'],
  ['sses', 'ss'],
  ['ches', 'ch'],
  ['shes', 'sh'],
  ['xes', 'x'],
  ['ings', ''],
  ['ing', ''],
  ['ers', ''],
  ['er', ''],
  ['est', ''],
  ['ed', ''],
  ['ly', ''],
  ['es', ''],
  ['s', ''],
]
const MIN_STEM_LENGTH = 3

/** The word without its ending, so that plurals and tenses match. Crude, but always the same for the same word. */
export function stem(word: string): string {
  for (const [ending, replacement] of ENDINGS) {
    if (!word.endsWith(ending) || word.endsWith('ss') || word.length - ending.length < MIN_STEM_LENGTH) continue
    const stemmed = word.slice(0, -ending.length) + replacement
    // running and run, hoped and hope: a doubled letter becomes one, and a silent one is dropped.
    return stemmed.replace(/([bdgklmnprt])\1$/, '$1').replace(/(?<=.{3})e$/, '')
  }
  return word.replace(/(?<=.{3})e$/, '')
}

/** The weight of a word: low for a stop word, otherwise higher the longer it is. */
export const weightOf = (word: string): number =>
  STOP_WORDS.has(word) ? STOP_WEIGHT : Math.min(1.6, 0.7 + 0.1 * [...word].length)

/** The words of a text: letters and digits of any script, folded to lower case without accents. */
export function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return folded.match(/[\p{L}\p{N}]+/gu) ?? []
}
